import type { Random } from "../../random.ts";

const LEAST_HOLD = 1_000_000;
const MAX_HOLD = 40_000_000;
const LEAST_COST_SHARE = 0.1;
const NEAR_THE_END = 10;
const PLENTY = 10_000;
/** Ten dollars. */
const PLENTY_AT_LEAST = 10_000_000_000n;
/** What a call costs in the middle. */
const DEFAULT_COST = ((LEAST_HOLD + MAX_HOLD) / 2) * ((1 + LEAST_COST_SHARE) / 2);

/** Who calls next, what for, and what each organization can spend. */
export class Callers {
  readonly ids: readonly string[];
  readonly #cumulative: Float64Array;
  readonly #random: Random;

  /** The organization of rank n calls in proportion to 1/n: a few are most of the traffic, most are hardly ever heard of. */
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

  /** The rank of an organization, drawn by how much it calls. */
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

  /** Never more than was held: the hold is the worst that a call can cost. */
  drawCost(hold: bigint): bigint {
    const share = LEAST_COST_SHARE + (1 - LEAST_COST_SHARE) * this.#random.next();
    return BigInt(Math.floor(Number(hold) * share));
  }

  /**
   * Most can spend for months. Every tenth has between a third of what it will want to spend and three times that, so that
   * it comes near the end of its credit, where every hold is decided in the database, and often runs dry.
   */
  drawCredit(rank: number, callsInAll: number): bigint {
    const share = 1 / (rank + 1) / (this.#cumulative.at(-1) as number);
    const wanted = callsInAll * share * DEFAULT_COST;
    if (rank % NEAR_THE_END !== NEAR_THE_END - 1) return BigInt(Math.ceil(wanted * PLENTY)) + PLENTY_AT_LEAST;
    const factor = 3 ** (2 * this.#random.next() - 1);
    return BigInt(Math.floor(wanted * factor)) + BigInt(this.#random.integer(0, 8 * MAX_HOLD));
  }
}
