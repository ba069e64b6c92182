import type { RunEvent } from "@tollgate/domain/assistants/records.ts";

// Often enough to look like typing, and seldom enough to be a row for several words.
const BATCH_MS = 40;

/** What happens in a streamed run, written down in batches while it happens. A run that nobody listens to has no story. */
export class RunEventLog {
  readonly #append: (events: readonly RunEvent[]) => Promise<unknown>;
  readonly #isReported: boolean;
  #waiting: RunEvent[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(append: (events: readonly RunEvent[]) => Promise<unknown>, isReported: boolean) {
    this.#append = append;
    this.#isReported = isReported;
  }

  tell(events: readonly RunEvent[]): void {
    if (!this.#isReported) return;
    this.#waiting.push(...events);
    this.#timer ??= setTimeout(() => this.#write(), BATCH_MS);
  }

  /** What is not written yet, for the transaction with which the story ends or pauses. */
  async takeRest(): Promise<readonly RunEvent[]> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#writing;
    const rest = this.#waiting;
    this.#waiting = [];
    return rest;
  }

  /** Events for a story that is told, and none for another. */
  only(events: readonly RunEvent[]): readonly RunEvent[] {
    return this.#isReported ? events : [];
  }

  #write(): void {
    this.#timer = null;
    this.#writing = this.#writing.then(async () => {
      const batch = this.#waiting;
      this.#waiting = [];
      if (batch.length === 0) return;
      try {
        await this.#append(batch);
      } catch {
        // They go with the next batch, or with the end; nothing of the run depends on them.
        this.#waiting = [...batch, ...this.#waiting];
      }
    });
  }
}
