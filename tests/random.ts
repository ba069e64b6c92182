/** Random numbers that depend only on the seed, so that a run can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns an integer in the range, including both ends. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.integer(0, list.length - 1)];
    if (picked === undefined) throw new Error("there is nothing to pick from");
    return picked;
  }

  /** Returns an independent generator, so that extra draws from one generator don't change the draws from the other. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296));
  }
}
