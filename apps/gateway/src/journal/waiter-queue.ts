import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";

/** Called when a record is on disk or could not be written. */
export interface JournalWaiter {
  onJournaled(): void;
  onJournalFailed(): void;
}

/** A closing record that is not on disk yet, and its waiter. */
export interface UnsyncedClose {
  readonly position: number;
  readonly call: JournaledCall;
  readonly facts: ClosingFacts;
  readonly waiter: JournalWaiter | null;
}

/** Number of released entries at which the queue removes them from its front. */
const COMPACT_AT = 1_024;

/** Closing records that wait, in order, for their ring positions to be synced. */
export class WaiterQueue {
  readonly #closes: UnsyncedClose[] = [];
  #first = 0;

  get isEmpty(): boolean {
    return this.#first === this.#closes.length;
  }

  add(close: UnsyncedClose): void {
    this.#closes.push(close);
  }

  /** Notifies all waiters up to this position that their records are on disk. */
  release(position: number): void {
    while (this.#first < this.#closes.length && (this.#closes[this.#first] as UnsyncedClose).position <= position)
      this.#shift().waiter?.onJournaled();
  }

  /** Removes and returns all records that will not be written. */
  takeAll(): readonly UnsyncedClose[] {
    const first = this.#first;
    this.#first = 0;
    return this.#closes.splice(0).slice(first);
  }

  #shift(): UnsyncedClose {
    const close = this.#closes[this.#first] as UnsyncedClose;
    this.#first += 1;
    if (this.#first === this.#closes.length || this.#first >= COMPACT_AT) {
      this.#closes.splice(0, this.#first);
      this.#first = 0;
    }
    return close;
  }
}
