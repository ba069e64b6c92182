import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";

/** Hears that a record is on disk, or will never be. */
export interface JournalWaiter {
  onJournaled(): void;
  onJournalFailed(): void;
}

/** A closing record that is not on disk yet, and who waits for it. */
export interface UnsyncedClose {
  readonly position: number;
  readonly call: JournaledCall;
  readonly facts: ClosingFacts;
  readonly waiter: JournalWaiter | null;
}

/** Passed entries are cut off the front once there are this many. */
const COMPACT_AT = 1_024;

/** Closing records that wait for their positions of the ring to be synced, in order. */
export class WaiterQueue {
  readonly #closes: UnsyncedClose[] = [];
  #first = 0;

  get isEmpty(): boolean {
    return this.#first === this.#closes.length;
  }

  add(close: UnsyncedClose): void {
    this.#closes.push(close);
  }

  /** Tells everyone up to this position that their record is on disk. */
  release(position: number): void {
    while (this.#first < this.#closes.length && (this.#closes[this.#first] as UnsyncedClose).position <= position)
      this.#shift().waiter?.onJournaled();
  }

  /** Takes everything out that will not come to be on disk. */
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
