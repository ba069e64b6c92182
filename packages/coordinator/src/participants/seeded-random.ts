import { createHash } from "node:crypto";

/** Numbers from 0 (inclusive) to 1 (exclusive) that depend on nothing but the seed and what they are for. */
export function seededRandom(seed: number, purpose: string): () => number {
  let state = createHash("sha256").update(`${seed}\n${purpose}`).digest().readUInt32LE(0);
  // mulberry32: 32 bits of state are plenty for choosing among a thousand participants.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `count` of the items, each set equally likely, in the order they were given. */
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
