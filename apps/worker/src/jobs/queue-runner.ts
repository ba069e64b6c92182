import { setTimeout as pause } from "node:timers/promises";
import { type JobQueuePool, openJobQueuePool } from "@tollgate/db/job-queue-pool.ts";
import type { Logger as OwnLogger } from "@tollgate/runtime/logger.ts";
import { Logger, type Runner, run, type TaskList } from "graphile-worker";

interface QueueRunnerOptions {
  /** Connection string of the database owner, which owns the queue. */
  readonly connectionString: string;
  /** Name of this runner in log lines. */
  readonly name: string;
  /** Tasks that this runner handles. Other runners handle all other tasks. */
  readonly tasks: TaskList;
  readonly crontab: string;
  /** Maximum number of concurrent jobs in this process. */
  readonly slots: number;
  /** Polling interval of each free slot. Polling finds jobs whose notification was missed. */
  readonly lookEveryMs: number;
  /** Number of connections, including one that listens for notifications. */
  readonly poolSize: number;
  readonly logger: OwnLogger;
}

const RESTART_MS = 5_000;

/** Runs jobs from the queue. While the database is unavailable, waits and reconnects. */
export class QueueRunner {
  readonly #options: QueueRunnerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #queue: JobQueuePool;
  #runner: Runner | null = null;

  constructor(options: QueueRunnerOptions) {
    this.#options = options;
    this.#queue = openJobQueuePool(options.connectionString, options.poolSize);
    this.#running = this.#keepRunning();
  }

  /** Stops after the jobs in progress have finished. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#runner?.stop().catch(() => {}); // The runner may have stopped by itself.
    await this.#running;
    await this.#queue.close();
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        this.#runner = await this.#start();
        if (signal.aborted) await this.#runner.stop();
        await this.#runner.promise;
      } catch (error) {
        this.#options.logger.warn(`could not run ${this.#options.name}; will retry`, { error });
      }
      this.#runner = null;
      await pause(RESTART_MS, undefined, { signal }).catch(() => {});
    }
  }

  #start(): Promise<Runner> {
    const { name, tasks, crontab, slots, lookEveryMs, logger } = this.#options;
    return run({
      pgPool: this.#queue.pool,
      taskList: tasks,
      crontab,
      concurrency: slots,
      pollInterval: lookEveryMs,
      noHandleSignals: true,
      logger: new Logger(() => (level, message) => passOn(logger, name, level, message)),
    });
  }
}

/**
 * Matches the warning that the queue logs at each start if there are fewer connections than slots. Having fewer
 * connections is intended, because a slot needs a connection only briefly.
 */
const FEWER_CONNECTIONS = /having maxPoolSize \(\d+\) smaller than concurrency/;

/** Forwards only the queue's warnings and errors, not its messages about the start and end of each job. */
function passOn(logger: OwnLogger, name: string, level: string, message: string): void {
  if (FEWER_CONNECTIONS.test(message)) return;
  if (level === "error") logger.error(`${name}: ${message}`);
  else if (level === "warning") logger.warn(`${name}: ${message}`);
}
