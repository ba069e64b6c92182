import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { UsageStreamOptions } from "@tollgate/event-log/usage-stream.ts";
import { startWorker } from "./start-worker.ts";

export interface WorkerProcessOptions {
  readonly connectionString: string;
  readonly natsUrl: string;
  readonly stream: UsageStreamOptions;
}

/** A worker in a process of its own, which a test may kill. */
export function spawnWorker(options: WorkerProcessOptions): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(options)], { stdio: "ignore" });
}

const [, program, options] = process.argv;
if (program === fileURLToPath(import.meta.url) && options !== undefined) {
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  startWorker({ ...(JSON.parse(options) as WorkerProcessOptions), logger });
}
