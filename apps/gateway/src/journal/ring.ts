import { MAX_RECORD_BYTES } from "@tollgate/journal/record-layout.ts";

/**
 * The memory that the loop and the journal's thread share: words to tell each other things, and a ring of records.
 * Positions count bytes of the ring, for ever, modulo 2³². A record never wraps: the last one of a lap runs over into
 * spare room behind the ring, and the next begins at its start.
 */
export const RING_BYTES = 4 * 1_024 * 1_024;

/** What each word says. The loop writes the first six, the thread the others; the reserves are made by one and taken by the other. */
export const Word = {
  /** Position behind the last record in the ring. */
  head: 0,
  /** Position up to which somebody waits, or nothing more may be put off. */
  wanted: 1,
  /** Counts the times that the loop wants the thread to look; the thread sleeps on it. */
  bell: 2,
  /** 1: write what is there and end. */
  closing: 3,
  /** State of the next segment's file, and of the emergency file: see `Reserved`. */
  next: 4,
  emergency: 5,
  /** 1 while the thread sleeps and must be woken. */
  isSleeping: 6,
  /** Position behind the last record that was copied out of the ring. */
  tail: 7,
  /** Position behind the last record that is on disk. */
  synced: 8,
  /** Number of the segment, and offset in it, that `synced` lies at. */
  segment: 9,
  offset: 10,
  /** 1: nothing can be written any more. */
  isDead: 11,
  /** Counts the times that any of the above changed; the loop listens to it. */
  news: 12,
} as const;

/** The loop makes a missing file ready; the thread takes it, and calls it missing once it has another name. */
export const Reserved = { missing: 0, ready: 1, taking: 2 } as const;

const WORDS_BYTES = 128;

export interface Ring {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly records: Buffer<SharedArrayBuffer>;
}

/** New shared memory for one journal. */
export const allocateRing = (): SharedArrayBuffer => new SharedArrayBuffer(WORDS_BYTES + RING_BYTES + MAX_RECORD_BYTES);

/** The two parts of the shared memory. */
export const viewRing = (memory: SharedArrayBuffer): Ring => ({
  words: new Int32Array(memory, 0, WORDS_BYTES / Int32Array.BYTES_PER_ELEMENT),
  records: Buffer.from(memory, WORDS_BYTES),
});

/** Where in the ring's memory a position lies. */
export const placeOf = (position: number): number => position % RING_BYTES;

/** The position behind a record of this length. */
export function advance(position: number, length: number): number {
  const place = placeOf(position);
  return place + length < RING_BYTES ? position + length : position - place + RING_BYTES;
}

/** How far a position, of which only 32 bits are known, lies behind one that is known whole. */
export const distance = (from: number, to: number): number => (to - from) >>> 0;
