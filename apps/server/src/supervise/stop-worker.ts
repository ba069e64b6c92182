import type { OpenWorker } from "./open-worker.ts";

/**
 * Maximum time to shut down. After that, the worker exits even if work is pending. Runs get ten seconds, and statements
 * take less time.
 */
const LEAVE_LIMIT_MS = 30_000;

/** Stops a worker and exits: the process, or only the thread if the worker is a thread. */
export async function stopWorker(worker: OpenWorker, code: number): Promise<void> {
  // Other workers take over unfinished work, so this worker only has to exit in time.
  setTimeout(() => process.exit(code || 1), LEAVE_LIMIT_MS).unref();
  await worker.stop();
  process.exit(code);
}
