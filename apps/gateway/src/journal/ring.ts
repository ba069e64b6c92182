import { MAX_RECORD_BYTES } from "@tollgate/journal/record-layout.ts";

/**
 * The memory that the event loop and the journal's thread share: control words, and a ring of records. Positions count
 * bytes of the ring without end, modulo 2³². A record never wraps: the last one of a lap extends into spare space
 * behind the ring, and the next begins at its start.
 */
export const RING_BYTES = 4 * 1_024 * 1_024;

/**
 * Indexes of the control words. The loop writes the first six, the thread the others; the loop prepares reserves and
 * the thread takes them.
 */
export const Word = {
  /** Position after the last record in the ring. */
  head: 0,
  /** Position up to which records must be written without further delay. */
  wanted: 1,
  /** Number of times that the loop has signaled the thread, which sleeps on this word. */
  bell: 2,
  /** 1: write the remaining records and end. */
  closing: 3,
  /** State of the next segment's file, and of the emergency file; see `Reserved`. */
  next: 4,
  emergency: 5,
  /** 1 while the thread sleeps and must be woken. */
  isSleeping: 6,
  /** Position after the last record copied out of the ring. */
  tail: 7,
  /** Position after the last record on disk. */
  synced: 8,
  /** Segment number and offset of `synced`. */
  segment: 9,
  offset: 10,
  /** 1: nothing can be written any longer. */
  isDead: 11,
  /** Number of changes to any of the words above; the loop waits on this word. */
  news: 12,
} as const;

/** The loop prepares a missing file; the thread takes it, and marks it missing once it has been renamed. */
export const Reserved = { missing: 0, ready: 1, taking: 2 } as const;

const WORDS_BYTES = 128;

export interface Ring {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly records: Buffer<SharedArrayBuffer>;
}

/** Allocates the shared memory of one journal. */
export const allocateRing = (): SharedArrayBuffer => new SharedArrayBuffer(WORDS_BYTES + RING_BYTES + MAX_RECORD_BYTES);

/** Returns views of the two parts of the shared memory. */
export const viewRing = (memory: SharedArrayBuffer): Ring => ({
  words: new Int32Array(memory, 0, WORDS_BYTES / Int32Array.BYTES_PER_ELEMENT),
  records: Buffer.from(memory, WORDS_BYTES),
});

/** Returns the offset of a position in the ring's memory. */
export const placeOf = (position: number): number => position % RING_BYTES;

/** Returns the position after a record of this length. */
export function advance(position: number, length: number): number {
  const place = placeOf(position);
  return place + length < RING_BYTES ? position + length : position - place + RING_BYTES;
}

/** Returns how far `to`, of which only 32 bits are known, is ahead of the full position `from`. */
export const distance = (from: number, to: number): number => (to - from) >>> 0;
