import { setTimeout as pause } from "node:timers/promises";
import { type JobQueuePool, openJobQueuePool } from "@tollgate/db/job-queue-pool.ts";
import type { Logger as OwnLogger } from "@tollgate/runtime/logger.ts";
import { Logger, type Runner, run, type TaskList } from "graphile-worker";

export interface QueueRunnerOptions {
  /** As the owner of the database, whose the queue is. */
  readonly connectionString: string;
  /** For the log. */
  readonly name: string;
  /** Other tasks are left to others. */
  readonly tasks: TaskList;
  readonly crontab: string;
  /** How many jobs this process does at once. */
  readonly slots: number;
  /** How often each free slot looks for jobs it was not told of. */
  readonly lookEveryMs: number;
  /** One of the connections listens. */
  readonly poolSize: number;
  readonly logger: OwnLogger;
}

const RESTART_MS = 5_000;

/** Takes jobs from the queue for as long as it runs. While the database is away it waits and comes back. */
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

  /** Ends after the jobs under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#runner?.stop().catch(() => {}); // it may have stopped by itself
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

/** Said at each start to whoever shares connections between slots. Here that is meant: a slot needs one for moments. */
const FEWER_CONNECTIONS = /having maxPoolSize \(\d+\) smaller than concurrency/;

/** The queue tells of each job it begins and ends; what goes wrong is what an operator wants to know. */
function passOn(logger: OwnLogger, name: string, level: string, message: string): void {
  if (FEWER_CONNECTIONS.test(message)) return;
  if (level === "error") logger.error(`${name}: ${message}`);
  else if (level === "warning") logger.warn(`${name}: ${message}`);
}
