import { MAX_RECORD_BYTES } from "@tollgate/journal/record-layout.ts";

/**
 * Size of the ring. The event loop and the journal's thread share its memory, which consists of control words and a
 * ring of records. Positions are byte counts that grow across laps, modulo 2³². A record never wraps around. The last
 * record of a lap extends into spare space after the ring, and the next record begins at the start.
 */
export const RING_BYTES = 4 * 1_024 * 1_024;

/**
 * Indexes of the control words. The loop writes the first six words, and the thread writes the other words. The loop
 * prepares the reserves, and the thread takes them.
 */
export const Word = {
  /** Position after the last record in the ring. */
  head: 0,
  /** Position up to which records must be written without further delay. */
  wanted: 1,
  /** Number of signals from the loop. The thread sleeps on this word. */
  bell: 2,
  /** Set to 1 if the thread must write the remaining records and exit. */
  closing: 3,
  /** State of the next segment's file, and of the emergency file. See `Reserved`. */
  next: 4,
  emergency: 5,
  /** 1 while the thread sleeps and must be woken. */
  isSleeping: 6,
  /** Position after the last record copied out of the ring. */
  tail: 7,
  /** Position after the last record on disk. */
  synced: 8,
  /** Segment number and file offset that correspond to `synced`. */
  segment: 9,
  offset: 10,
  /** Set to 1 if the journal can't be written. */
  isDead: 11,
  /** Number of changes that the thread has made to its words. The loop waits on this word. */
  news: 12,
} as const;

/**
 * States of a reserve. The loop prepares a missing file. The thread takes the file and marks the reserve as missing
 * once the file has been renamed.
 */
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

/** Returns the distance from the full position `from` to `to`, of which only 32 bits are known. */
export const distance = (from: number, to: number): number => (to - from) >>> 0;
