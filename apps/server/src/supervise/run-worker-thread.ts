import { parentPort, workerData } from "node:worker_threads";
import { stopOnError } from "./handle-supervisor-messages.ts";
import { openWorker } from "./open-worker.ts";
import { stopWorker } from "./stop-worker.ts";
import { readMessage } from "./thread-message.ts";
import type { WorkerThreadCommand, WorkerThreadData } from "./worker-thread.ts";

// The program of the worker's thread in a gateway process. It gets its settings from the process, which has validated
// them, so it loads nothing that only reads settings.

const { start, settings } = readMessage(workerData) as WorkerThreadData;
const worker = await openWorker(start, settings);
const stop = stopOnError((code) => stopWorker(worker, code), worker.logger);
// Messages that arrived earlier are delivered now.
parentPort?.on("message", (message: unknown) => {
  const command = readMessage(message) as WorkerThreadCommand;
  if (command.kind === "stop") return stop(0);
  if (command.kind === "stop_jobs") return void worker.stopJobs();
  worker.reload(command.settings);
  worker.logger.info("settings reloaded");
});
parentPort?.postMessage("ready");
