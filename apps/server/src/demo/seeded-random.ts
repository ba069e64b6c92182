/** A generator of repeatable random values. The same seed gives the same values on every machine. */
export interface SeededRandom {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns a whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** Returns the index of one of the weights, with a probability proportional to the weight. */
  pick(weights: readonly number[]): number;
  /** Returns a positive number around `median`: half of the values are below it, and a few are several times larger. */
  around(median: number, spread: number): number;
  bytes(count: number): Uint8Array;
}

/** Creates a generator (mulberry32), which is fast and good enough for made-up data. Never use it for secrets. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (weights) => {
      const wanted = next() * weights.reduce((sum, weight) => sum + weight, 0);
      let passed = 0;
      for (const [index, weight] of weights.entries()) {
        passed += weight;
        if (wanted < passed) return index;
      }
      return weights.length - 1;
    },
    // The product of a log-normal distribution, from two uniform values (Box-Muller).
    around: (median, spread) =>
      median * Math.exp(spread * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())),
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)),
  };
}
