import { type RecordSpace, recordSpace } from "@tollgate/journal/encode-record.ts";
import { MAX_RECORD_BYTES } from "@tollgate/journal/record-layout.ts";
import { advance, distance, placeOf, RING_BYTES, type Ring, Word } from "./ring.ts";

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
