import type { Example } from "./logistic-model.ts";

export const FEATURES = 8;
export const PARTICIPANTS = 5;

/**
 * The examples of one participant, the last fifth of them kept for evaluation. All follow one rule, but no two look
 * alike: each part has its own size and its own center, and the first sees almost only one label.
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

/** Normal numbers that are the same in every run: twelve uniform ones summed, from a small generator. */
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
