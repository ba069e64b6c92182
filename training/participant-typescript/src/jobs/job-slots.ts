import type { Operation } from "../handlers.ts";

/**
 * Maximum number of concurrent jobs. If `shared` is true, all three operations share one pool, whose size is the
 * largest count.
 */
export interface SlotCounts {
  readonly train: number;
  readonly evaluate: number;
  readonly aggregate: number;
  readonly shared: boolean;
}

/** Counts running jobs. A participant usually has one accelerator, so the default is one slot for all operations. */
export class JobSlots {
  readonly #counts: SlotCounts;
  readonly #taken = { train: 0, evaluate: 0, aggregate: 0 };

  constructor(counts: SlotCounts) {
    this.#counts = counts;
  }

  get taken(): number {
    return this.#taken.train + this.#taken.evaluate + this.#taken.aggregate;
  }

  hasFree(operation: Operation): boolean {
    const { train, evaluate, aggregate, shared } = this.#counts;
    if (shared) return this.taken < Math.max(train, evaluate, aggregate);
    return this.#taken[operation] < this.#counts[operation];
  }

  take(operation: Operation): void {
    this.#taken[operation] += 1;
  }

  free(operation: Operation): void {
    this.#taken[operation] -= 1;
  }
}
