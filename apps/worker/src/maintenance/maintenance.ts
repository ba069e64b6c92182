import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import { runAlone } from "@tollgate/db/run-alone.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { Job } from "./jobs.ts";

/**
 * Runs each job at startup and then at its interval, unless another worker is running the job. A failed job is retried
 * at its next interval. Each running job holds a connection for its lock. Short jobs run one after another, because
 * together they could hold every connection in the pool and deadlock.
 */
export class Maintenance {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  /** Settles when all started short jobs have finished. */
  #shortJobs: Promise<unknown> = Promise.resolve();
  readonly #running: Promise<unknown>;

  constructor(db: Database, logger: Logger, jobs: readonly Job[]) {
    this.#db = db;
    this.#logger = logger;
    this.#running = Promise.all(jobs.map((job) => this.#repeat(job)));
  }

  /** Stops after the jobs in progress have finished. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #repeat(job: Job): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#run(job);
      } catch (error) {
        this.#logger.warn(`maintenance job ${job.name} failed; will retry`, { error });
      }
      // The jitter prevents workers that started together from querying simultaneously.
      await pause(job.everyMs * (0.9 + Math.random() / 5), undefined, { signal }).catch(() => {});
    }
  }

  async #run(job: Job): Promise<unknown> {
    // Taking the lock takes three more queries. On an idle server, there is nothing to do most of the time.
    if ((await job.hasWork?.()) === false) return;
    const run = () => runAlone(this.#db, job.lockName ?? job.name, () => job.run());
    if (job.isLong === true) return run();
    const ended = this.#shortJobs.then(run);
    this.#shortJobs = ended.catch(() => {});
    return ended;
  }
}
