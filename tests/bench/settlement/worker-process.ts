import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { UsageStreamOptions } from "@tollgate/event-log/usage-stream-options.ts";
import { startWorker } from "@tollgate/worker/start-worker.ts";

export interface WorkerProcessOptions {
  readonly connectionString: string;
  readonly natsUrl: string;
  readonly stream: UsageStreamOptions;
}

/** Starts a worker in a separate process, which prints its errors and exits when its parent exits. */
export function forkWorker(options: WorkerProcessOptions): ChildProcess {
  return fork(fileURLToPath(import.meta.url), [JSON.stringify(options)]);
}

const [, program, options] = process.argv;
if (program === fileURLToPath(import.meta.url) && options !== undefined) {
  const print = (message: string, fields?: { error?: unknown }) =>
    console.error(`worker: ${message}`, fields?.error ?? "");
  const worker = startWorker({
    ...(JSON.parse(options) as WorkerProcessOptions),
    logger: { info: () => {}, warn: print, error: print },
  });
  process.once("disconnect", () => void worker.stop().then(() => process.exit()));
}
