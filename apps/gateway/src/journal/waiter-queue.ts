/** Hears that a record is on disk, or will never be. */
export interface JournalWaiter {
  onJournaled(): void;
  onJournalFailed(): void;
}

/** Passed entries are cut off the front once there are this many. */
const COMPACT_AT = 1_024;

/** Those who wait for positions of the ring, in order. */
export class WaiterQueue {
  readonly #positions: number[] = [];
  readonly #waiters: JournalWaiter[] = [];
  #first = 0;

  get isEmpty(): boolean {
    return this.#first === this.#waiters.length;
  }

  add(position: number, waiter: JournalWaiter): void {
    this.#positions.push(position);
    this.#waiters.push(waiter);
  }

  /** Tells everyone up to this position that their record is on disk. */
  release(position: number): void {
    while (this.#first < this.#waiters.length && (this.#positions[this.#first] as number) <= position)
      this.#shift().onJournaled();
  }

  /** Tells everyone that their record will not come to be on disk. */
  fail(): void {
    while (!this.isEmpty) this.#shift().onJournalFailed();
  }

  #shift(): JournalWaiter {
    const waiter = this.#waiters[this.#first] as JournalWaiter;
    this.#first += 1;
    if (this.#first === this.#waiters.length || this.#first >= COMPACT_AT) {
      this.#positions.splice(0, this.#first);
      this.#waiters.splice(0, this.#first);
      this.#first = 0;
    }
    return waiter;
  }
}
