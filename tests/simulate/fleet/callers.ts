import type { Random } from "../../random.ts";

const LEAST_HOLD = 1_000_000;
const MAX_HOLD = 40_000_000;
const LEAST_COST_SHARE = 0.1;
const NEAR_THE_END = 10;
const PLENTY = 10_000;
/** Ten dollars, in nano-USD. */
const PLENTY_AT_LEAST = 10_000_000_000n;
/** Mean cost of a call. */
const DEFAULT_COST = ((LEAST_HOLD + MAX_HOLD) / 2) * ((1 + LEAST_COST_SHARE) / 2);

/** Draws the next caller, its call, and each organization's credit. */
export class Callers {
  readonly ids: readonly string[];
  readonly #cumulative: Float64Array;
  readonly #random: Random;

  /**
   * Weights the organization of rank n by 1/n, so that a few organizations make most of the calls and most
   * organizations make hardly any.
   */
  constructor(organizations: number, random: Random) {
    this.#random = random;
    this.ids = Array.from({ length: organizations }, (_, rank) => `organization-${rank}`);
    this.#cumulative = new Float64Array(organizations);
    let sum = 0;
    for (let rank = 0; rank < organizations; rank += 1) {
      sum += 1 / (rank + 1);
      this.#cumulative[rank] = sum;
    }
  }

  /** Draws an organization's rank, weighted by its number of calls. */
  draw(): number {
    const wanted = this.#random.next() * (this.#cumulative.at(-1) as number);
    let low = 0;
    let high = this.#cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cumulative[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  drawHold(): bigint {
    return BigInt(this.#random.integer(LEAST_HOLD, MAX_HOLD));
  }

  /** Draws a cost that never exceeds the hold, which is the maximum cost of a call. */
  drawCost(hold: bigint): bigint {
    const share = LEAST_COST_SHARE + (1 - LEAST_COST_SHARE) * this.#random.next();
    return BigInt(Math.floor(Number(hold) * share));
  }

  /**
   * Draws an organization's credit. Most organizations have enough for months. Every tenth organization has between a
   * third and three times the amount that it will try to spend. Such an organization gets close to its limit, where the
   * database decides every hold, and often runs out.
   */
  drawCredit(rank: number, callsInAll: number): bigint {
    const share = 1 / (rank + 1) / (this.#cumulative.at(-1) as number);
    const wanted = callsInAll * share * DEFAULT_COST;
    if (rank % NEAR_THE_END !== NEAR_THE_END - 1) return BigInt(Math.ceil(wanted * PLENTY)) + PLENTY_AT_LEAST;
    const factor = 3 ** (2 * this.#random.next() - 1);
    return BigInt(Math.floor(wanted * factor)) + BigInt(this.#random.integer(0, 8 * MAX_HOLD));
  }
}
