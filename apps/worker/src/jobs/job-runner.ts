import { setTimeout as pause } from "node:timers/promises";
import { type JobQueuePool, openJobQueuePool } from "@tollgate/db/job-queue-pool.ts";
import type { Logger as OwnLogger } from "@tollgate/runtime/logger.ts";
import { Logger, type Runner, run, type TaskList } from "graphile-worker";
import type { JobContext } from "./job-context.ts";
import { crontab, tasks } from "./tasks.ts";

export interface JobRunnerOptions {
  /** As the owner of the database, whose the queue is. */
  readonly connectionString: string;
  readonly context: JobContext;
}

/** How many jobs this process does at once. */
export const JOBS_AT_ONCE = 3;
// One of them listens.
const POOL_SIZE = 4;
const RESTART_MS = 5_000;

/** Takes jobs from the queue for as long as it runs. While the database is away it waits and comes back. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #queue: JobQueuePool;
  #runner: Runner | null = null;

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#queue = openJobQueuePool(options.connectionString, POOL_SIZE);
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
        this.#options.context.logger.warn("background jobs cannot run and will be tried again", { error });
      }
      this.#runner = null;
      await pause(RESTART_MS, undefined, { signal }).catch(() => {});
    }
  }

  #start(): Promise<Runner> {
    const { context } = this.#options;
    return run({
      pgPool: this.#queue.pool,
      taskList: listTasks(context),
      crontab,
      concurrency: JOBS_AT_ONCE,
      noHandleSignals: true,
      logger: new Logger(() => (level, message) => passOn(context.logger, level, message)),
    });
  }
}

function listTasks(context: JobContext): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      (payload: unknown, queue: Parameters<typeof task>[2]) => task(context, payload, queue),
    ]),
  );
}

/** The queue tells of each job it begins and ends; what goes wrong is what an operator wants to know. */
function passOn(logger: OwnLogger, level: string, message: string): void {
  if (level === "error") logger.error(`background jobs: ${message}`);
  else if (level === "warning") logger.warn(`background jobs: ${message}`);
}
