import type { Operation } from "../handlers.ts";

/** How many jobs run at once. Shared: one pool for all three operations, as large as the largest number. */
export interface SlotCounts {
  readonly train: number;
  readonly evaluate: number;
  readonly aggregate: number;
  readonly shared: boolean;
}

/** Counts what runs. A participant has one accelerator as a rule, so the default is one slot for everything. */
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
