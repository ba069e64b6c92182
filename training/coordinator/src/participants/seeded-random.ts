import { createHash } from "node:crypto";

/** Returns a generator of numbers in [0, 1) that depends only on the seed and the purpose. */
export function seededRandom(seed: number, purpose: string): () => number {
  let state = createHash("sha256").update(`${seed}\n${purpose}`).digest().readUInt32LE(0);
  // mulberry32: 32 bits of state are enough to choose among a thousand participants.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a uniformly random subset of `count` items, in their original order. */
export function sampleInOrder<T>(items: readonly T[], count: number, random: () => number): T[] {
  const indexes = items.map((_, index) => index);
  for (let at = 0; at < Math.min(count, items.length); at += 1) {
    const other = at + Math.floor(random() * (indexes.length - at));
    [indexes[at], indexes[other]] = [indexes[other] as number, indexes[at] as number];
  }
  return indexes
    .slice(0, count)
    .sort((left, right) => left - right)
    .map((index) => items[index] as T);
}
