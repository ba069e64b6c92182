import type { Example } from "./logistic-model.ts";

export const FEATURES = 8;
export const PARTICIPANTS = 5;

/**
 * Creates the examples of one participant. The last fifth is held out for evaluation. All participants follow the same
 * rule, but each has a different number of examples and a different center, and the first has almost only one label.
 */
export function makeExamples(part: number): { training: Example[]; heldOut: Example[] } {
  const rule = normalNumbers(7);
  const slope = Array.from({ length: FEATURES }, () => 3 * rule());
  const random = normalNumbers(1000 + part);
  const center = 0.5 * (part - (PARTICIPANTS - 1) / 2);
  const examples: Example[] = [];
  while (examples.length < 400 + 150 * part) {
    const features = slope.map(() => center + random());
    const score = features.reduce((sum, value, index) => sum + value * (slope[index] ?? 0), -1 + random());
    const label = score > 0 ? 1 : 0;
    if (part > 0 || label === 1 || examples.length % 10 === 0) examples.push({ features, label });
  }
  const cut = Math.floor(examples.length * 0.8);
  return { training: examples.slice(0, cut), heldOut: examples.slice(cut) };
}

/** Returns a seeded generator of normally distributed numbers, each the sum of twelve uniform ones. */
function normalNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value, -6);
}
