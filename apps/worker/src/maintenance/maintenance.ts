import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import { runAlone } from "@tollgate/db/run-alone.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { Job } from "./jobs.ts";

/** Does each job at once and then at its interval, unless another worker is at it. A failure waits for the next time. */
export class Maintenance {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
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
        await runAlone(this.#db, job.name, () => job.run());
      } catch (error) {
        this.#logger.warn(`maintenance of ${job.name} failed and will be tried again`, { error });
      }
      // A little chance, so that workers which started together do not all ask at once.
      await pause(job.everyMs * (0.9 + Math.random() / 5), undefined, { signal }).catch(() => {});
    }
  }
}
