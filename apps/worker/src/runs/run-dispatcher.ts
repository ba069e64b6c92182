import type { ChosenRun } from "@tollgate/db/assistants/run-queue.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";

interface DispatcherOptions {
  /** Chooses the next run after the tenant that was served last; null if no run may start. */
  readonly choose: (served: string) => Promise<ChosenRun | null>;
  readonly execute: (runId: string) => Promise<void>;
  readonly slots: number;
  /** Polling interval, in case a notification was missed. */
  readonly lookEveryMs: number;
  readonly logger: Logger;
}

const RETRY_MS = 1_000;

/** Fills the slots of a worker with runs. */
export class RunDispatcher {
  readonly #options: DispatcherOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #polling: NodeJS.Timeout;
  #retrying: NodeJS.Timeout | undefined;
  #filling: Promise<void> | null = null;
  #isWokenAgain = false;
  #isStopping = false;
  #served = "";

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#polling = setInterval(() => this.wake(), options.lookEveryMs);
    this.wake();
  }

  /** Looks for runs, because one was queued or a slot became free. */
  wake(): void {
    this.#isWokenAgain = true;
    this.#filling ??= this.#fill();
  }

  /** Starts no further run. Resolves when the runs in progress have ended or were released. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#polling);
    clearTimeout(this.#retrying);
    await this.#filling;
    await Promise.all(this.#running);
  }

  async #fill(): Promise<void> {
    try {
      while (this.#isWokenAgain) {
        this.#isWokenAgain = false;
        await this.#startAll();
      }
    } catch (error) {
      this.#options.logger.warn("could not look for assistant runs; will retry", { error });
      if (!this.#isStopping) this.#retrying = setTimeout(() => this.wake(), RETRY_MS);
    }
    this.#filling = null;
  }

  /** Choices are made one after the other, so that each one counts the runs that the worker has. */
  async #startAll(): Promise<void> {
    while (!this.#isStopping && this.#running.size < this.#options.slots) {
      const chosen = await this.#options.choose(this.#served);
      if (chosen === null) return;
      this.#served = chosen.tenant;
      this.#start(chosen.runId);
    }
  }

  #start(runId: string): void {
    const running = this.#options
      .execute(runId)
      // The sweep finds the run when its lease expires.
      .catch((error: unknown) => this.#options.logger.warn(`could not execute run ${runId}`, { error }))
      .finally(() => {
        this.#running.delete(running);
        if (!this.#isStopping) this.wake();
      });
    this.#running.add(running);
  }
}
