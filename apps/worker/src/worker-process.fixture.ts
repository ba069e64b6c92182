import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LOOPBACK_TARGETS } from "@tollgate/domain/network/allowed-target.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type { UsageStreamOptions } from "@tollgate/event-log/usage-stream-options.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { startWorker } from "./start-worker.ts";

interface WorkerProcessOptions {
  readonly connectionString: string;
  readonly natsUrl: string | null;
  readonly stream?: UsageStreamOptions;
  /** If set, the worker also runs background jobs. */
  readonly secretKey?: string;
}

/** Starts a worker in a separate process, which a test can kill. */
export function spawnWorker(options: WorkerProcessOptions): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(options)], { stdio: "ignore" });
}

const [, program, options] = process.argv;
if (program === fileURLToPath(import.meta.url) && options !== undefined) {
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const { secretKey, ...rest } = JSON.parse(options) as WorkerProcessOptions;
  const platform = secretKey === undefined ? null : platformOf(secretKey);
  startWorker({ ...rest, platform, logger });
}

function platformOf(secretKey: string) {
  return {
    settings: () => ({ ...defaultPlatformSettings, outboundAllow: LOOPBACK_TARGETS }),
    secretKeys: [new Secret(secretKey)],
  };
}
