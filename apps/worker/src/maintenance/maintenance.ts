import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import { runAlone } from "@tollgate/db/run-alone.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { Job } from "./jobs.ts";

/**
 * Runs each job when it starts and then at its interval, unless another worker is running it. A failed job waits for its
 * next time. Each running job holds a connection for its lock, so those that take little time run one after another:
 * together they could hold every connection of the pool and wait forever for one to work with.
 */
export class Maintenance {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  /** Settles when the short jobs that started so far have ended. */
  #shortJobs: Promise<unknown> = Promise.resolve();
  readonly #running: Promise<unknown>;

  constructor(db: Database, logger: Logger, jobs: readonly Job[]) {
    this.#db = db;
    this.#logger = logger;
    this.#running = Promise.all(jobs.map((job) => this.#repeat(job)));
  }

  /** Ends after what is under way. */
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
      // A little chance, so that workers which started together do not all ask at once.
      await pause(job.everyMs * (0.9 + Math.random() / 5), undefined, { signal }).catch(() => {});
    }
  }
  #run(job: Job): Promise<unknown> {
    const run = () => runAlone(this.#db, job.name, () => job.run());
    if (job.isLong === true) return run();
    const ended = this.#shortJobs.then(run);
    this.#shortJobs = ended.catch(() => {});
    return ended;
  }
}
