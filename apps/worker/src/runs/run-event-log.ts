import type { RunEvent } from "@tollgate/domain/assistants/records.ts";

// The interval is short enough for the text to appear as if typed, and long enough to put several words in one row.
const BATCH_MS = 40;

/** Stores the events of a streamed run in batches as they happen. A run that isn't streamed has no events. */
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

  /** Returns the events that are not written yet, for the transaction that ends or pauses the run. */
  async takeRest(): Promise<readonly RunEvent[]> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#writing;
    const rest = this.#waiting;
    this.#waiting = [];
    return rest;
  }

  /** Returns the events if the run is streamed, and otherwise an empty list. */
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
        // A failed write is ignored. The events are written with the next batch or at the end, and the run doesn't
        // depend on them.
        this.#waiting = [...batch, ...this.#waiting];
      }
    });
  }
}
