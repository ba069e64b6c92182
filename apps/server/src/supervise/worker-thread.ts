import { Worker } from "node:worker_threads";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { RestartBackoff } from "./restart-backoff.ts";
import { writeMessage } from "./thread-message.ts";
import type { WorkerSettings, WorkerStart } from "./worker-start.ts";

/** Data with which the thread starts. */
export interface WorkerThreadData {
  readonly start: WorkerStart;
  readonly settings: WorkerSettings;
}

export type WorkerThreadCommand =
  | { readonly kind: "stop_jobs" }
  | { readonly kind: "stop" }
  | { readonly kind: "reload"; readonly settings: WorkerSettings };

interface WorkerThreadOptions extends WorkerThreadData {
  readonly logger: Logger;
  /** The program of the thread. Default: the worker. */
  readonly program?: URL;
  readonly maxHeapMb?: number;
}

const PROGRAM = new URL("./run-worker-thread.ts", import.meta.url);
/** Time after which a stopping thread is ended. The worker has a limit of its own, which a busy thread cannot observe. */
export const WORKER_STOP_LIMIT_MS = 32_000;
/** Heap size at which the thread is ended, so that a leak of the worker doesn't end this process and its calls. */
const MAX_HEAP_MB = 1_024;

/**
 * Keeps a worker running in a thread of this process, with its own connections and its own heap, so that settlement
 * never delays a call. A thread that fails is restarted, and calls continue.
 */
export class WorkerThread {
  readonly #options: WorkerThreadOptions;
  readonly #backoff = new RestartBackoff();
  readonly #started = Promise.withResolvers<void>();
  #settings: WorkerSettings;
  #worker: Worker;
  #restart: NodeJS.Timeout | null = null;
  #hasStoppedJobs = false;
  #isStopping = false;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#worker = this.#start();
  }

  /** Resolves when the worker is ready, or when its first start has failed. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  /** Makes the worker use these settings. A starting worker does so when it is ready. */
  reload(settings: WorkerSettings): void {
    this.#settings = settings;
    this.#send({ kind: "reload", settings });
  }

  /** Makes the worker only settle usage from now on, because the gateway of this process is draining its calls. */
  stopJobs(): void {
    this.#hasStoppedJobs = true;
    this.#send({ kind: "stop_jobs" });
  }

  /** Resolves when the work in progress is committed and the thread has ended. Ends the thread after the limit. */
  async stop(limitMs = WORKER_STOP_LIMIT_MS): Promise<void> {
    this.#isStopping = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    if (this.#worker.threadId === -1) return;
    const { promise: exited, resolve } = Promise.withResolvers<void>();
    this.#worker.once("exit", () => resolve());
    this.#send({ kind: "stop" });
    const limit = setTimeout(() => void this.#worker.terminate(), limitMs);
    await exited;
    clearTimeout(limit);
  }

  #start(): Worker {
    const { start, program = PROGRAM, maxHeapMb = MAX_HEAP_MB, logger } = this.#options;
    const data: WorkerThreadData = { start, settings: this.#settings };
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb };
    const worker = new Worker(program, { name: "worker", workerData: writeMessage(data), resourceLimits });
    this.#backoff.start();
    worker.once("message", () => this.#started.resolve());
    worker.on("error", (error) => logger.error("worker thread failed", { error }));
    worker.once("exit", (code) => this.#exited(code));
    return worker;
  }

  #exited(code: number): void {
    this.#started.resolve();
    if (this.#isStopping) return;
    const { durationMs, delayMs } = this.#backoff.exit(code);
    this.#options.logger.warn("worker thread exited; restarting it", { code, durationMs });
    this.#restart = setTimeout(() => {
      this.#worker = this.#start();
      if (this.#hasStoppedJobs) this.stopJobs();
    }, delayMs);
  }

  /** Sends a command. A thread that is starting receives it when it is ready, and one that has ended never does. */
  #send(command: WorkerThreadCommand): void {
    this.#worker.postMessage(writeMessage(command));
  }
}
