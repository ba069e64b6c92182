import { type RecordSpace, recordSpace } from "@tollgate/journal/encode-record.ts";
import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";
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
  /** Segment number and file offset that correspond to `synced`. Delivery reads them as neighbors. */
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

/** Reports whether the loop has prepared both files for the thread. */
export function areReservesReady(words: Int32Array): boolean {
  return (
    Atomics.load(words, Word.next) !== Reserved.missing && Atomics.load(words, Word.emergency) !== Reserved.missing
  );
}

const WORDS_BYTES = 128;

interface Ring {
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

/**
 * The event loop's side of the ring. Records that don't fit wait in memory, in order, until the thread has freed space.
 */
export class RingWriter {
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #ring: RecordSpace;
  readonly #scratch = recordSpace(Buffer.alloc(MAX_RECORD_BYTES));
  readonly #overflow: Buffer[] = [];
  /** Position after the last record in the ring. `#end` is the position after the last record overall. */
  #head = 0;
  #end = 0;
  #tail = 0;

  constructor({ words, records }: Ring) {
    this.#words = words;
    this.#ring = recordSpace(records);
  }

  get head(): number {
    return this.#head;
  }

  /** Position after the last record overall, including records that wait for space. */
  get end(): number {
    return this.#end;
  }

  get isOverflowing(): boolean {
    return this.#overflow.length > 0;
  }

  get usedBytes(): number {
    if (this.#end - this.#tail > RING_BYTES / 4)
      this.#tail += distance(this.#tail, Atomics.load(this.#words, Word.tail));
    return this.#end - this.#tail;
  }

  /**
   * Returns memory for the next record, which starts at the offset from `placeIn`. The caller must call `commit` in the
   * same turn.
   */
  get space(): RecordSpace {
    return this.#hasCapacity() ? this.#ring : this.#scratch;
  }

  /** Returns the offset of the next record in the memory that `space` has just returned. */
  placeIn(space: RecordSpace): number {
    return space === this.#ring ? placeOf(this.#head) : 0;
  }

  /** Commits the record between `start` and `end` of the space. Returns the position after it. */
  commit(space: RecordSpace, start: number, end: number): number {
    this.#end = advance(this.#end, end - start);
    if (space === this.#ring) this.#publish();
    else this.#overflow.push(Buffer.from(space.bytes.subarray(start, end)));
    return this.#end;
  }

  /** Moves as many waiting records into the ring as fit. Reports whether any record was moved. */
  drain(): boolean {
    if (this.#overflow.length === 0) return false;
    let moved = 0;
    for (const record of this.#overflow) {
      if (!this.#hasSpace()) break;
      record.copy(this.#ring.bytes, placeOf(this.#head));
      this.#head = advance(this.#head, record.length);
      moved += 1;
    }
    this.#overflow.splice(0, moved);
    Atomics.store(this.#words, Word.head, this.#head | 0);
    return moved > 0;
  }

  /** Discards waiting records, which will never be written. */
  discard(): void {
    this.#overflow.length = 0;
    this.#end = this.#head;
  }

  #publish(): void {
    this.#head = this.#end;
    Atomics.store(this.#words, Word.head, this.#head | 0);
  }

  #hasCapacity(): boolean {
    return this.#overflow.length === 0 && this.#hasSpace();
  }

  #hasSpace(): boolean {
    if (this.#head - this.#tail <= RING_BYTES - MAX_RECORD_BYTES) return true;
    this.#tail += distance(this.#tail, Atomics.load(this.#words, Word.tail));
    return this.#head - this.#tail <= RING_BYTES - MAX_RECORD_BYTES;
  }
}

/** Called when a record is on disk or could not be written. */
export interface JournalWaiter {
  onJournaled(): void;
  onJournalFailed(): void;
}

/** A closing record that is not on disk yet, and its waiter. */
export interface UnsyncedClose {
  readonly position: number;
  readonly call: JournaledCall;
  readonly facts: ClosingFacts;
  readonly waiter: JournalWaiter | null;
}

/** Number of released entries at which the queue removes them from its front. */
const COMPACT_AT = 1_024;

/** Closing records that wait, in order, for their ring positions to be synced. */
export class WaiterQueue {
  readonly #closes: UnsyncedClose[] = [];
  #first = 0;

  get isEmpty(): boolean {
    return this.#first === this.#closes.length;
  }

  get size(): number {
    return this.#closes.length - this.#first;
  }

  add(close: UnsyncedClose): void {
    this.#closes.push(close);
  }

  /** Notifies all waiters up to this position that their records are on disk. Returns the number of records. */
  release(position: number): number {
    let released = 0;
    while (this.#first < this.#closes.length && (this.#closes[this.#first] as UnsyncedClose).position <= position) {
      released += 1;
      this.#shift().waiter?.onJournaled();
    }
    return released;
  }

  /** Removes and returns all records that will not be written. */
  takeAll(): readonly UnsyncedClose[] {
    const first = this.#first;
    this.#first = 0;
    return this.#closes.splice(0).slice(first);
  }

  #shift(): UnsyncedClose {
    const close = this.#closes[this.#first] as UnsyncedClose;
    this.#first += 1;
    if (this.#first === this.#closes.length || this.#first >= COMPACT_AT) {
      this.#closes.splice(0, this.#first);
      this.#first = 0;
    }
    return close;
  }
}
