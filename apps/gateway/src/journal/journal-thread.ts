import { parentPort, workerData } from "node:worker_threads";
import { GROUP_HEADER_BYTES } from "@tollgate/journal/group.ts";
import { AT_LENGTH, MAX_RECORD_BYTES } from "@tollgate/journal/record-layout.ts";
import { advance, distance, placeOf, Reserved, viewRing, Word } from "./ring.ts";
import { type Reserve, type SegmentOwner, SegmentWriter } from "./segment-writer.ts";

/** Startup data for the thread. */
export interface JournalThreadData {
  readonly memory: SharedArrayBuffer;
  readonly owner: SegmentOwner;
  readonly lastNumber: number;
  readonly next: Reserve;
  readonly emergency: Reserve;
}

/**
 * Messages from the thread, in addition to the control words in the ring. `failed` means that a file failed. Another
 * file replaces it if one is available.
 */
export type ThreadMessage = { readonly kind: "running" } | { readonly kind: "failed"; readonly error: unknown };

/** Maximum group size, which limits how long a call waits for the records of other calls. */
const MAX_GROUP_BYTES = 256 * 1_024;

/** Maximum time that records wait for a file if neither reserve file is available. */
const RESERVE_PATIENCE_MS = 5_000;

/** Half of the position range. A larger distance is negative, which means that the position has already been passed. */
const HALF = 2 ** 31;

/** Repeatedly takes all available records out of the ring as a group and makes the group durable. */
class JournalThread {
  readonly #data: JournalThreadData;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #records: Buffer;
  readonly #ringView: DataView;
  readonly #group = Buffer.alloc(GROUP_HEADER_BYTES + MAX_GROUP_BYTES + MAX_RECORD_BYTES);
  readonly #groupView = new DataView(this.#group.buffer, this.#group.byteOffset, this.#group.byteLength);
  readonly #writer: SegmentWriter;
  #tail = 0;

  constructor(data: JournalThreadData) {
    this.#data = data;
    const { words, records } = viewRing(data.memory);
    this.#words = words;
    this.#records = records;
    this.#ringView = new DataView(records.buffer, records.byteOffset, records.byteLength);
    this.#writer = new SegmentWriter(data.owner, data.lastNumber);
  }

  run(): void {
    if (Atomics.load(this.#words, Word.next) === Reserved.ready) this.#roll();
    parentPort?.postMessage({ kind: "running" } satisfies ThreadMessage);
    for (;;) {
      const bell = Atomics.load(this.#words, Word.bell);
      const isClosing = Atomics.load(this.#words, Word.closing) === 1;
      const wanted = Atomics.load(this.#words, isClosing ? Word.head : Word.wanted);
      const ahead = distance(this.#tail, wanted);
      if (ahead > 0 && ahead < HALF) {
        if (!this.#writeGroup()) return;
      } else if (isClosing) {
        this.#writer.end();
        return;
      } else this.#sleep(bell);
    }
  }

  #sleep(bell: number): void {
    Atomics.store(this.#words, Word.isSleeping, 1);
    Atomics.wait(this.#words, Word.bell, bell);
    Atomics.store(this.#words, Word.isSleeping, 0);
  }

  /** Writes a group. Returns false if no file can be written. */
  #writeGroup(): boolean {
    let byteLength = this.#take();
    if (byteLength === 0) {
      if (!this.#roll()) return this.#giveUp();
      byteLength = this.#take();
    }
    if (!this.#tryWrite(byteLength) && !(this.#roll() && this.#tryWrite(byteLength))) return this.#giveUp();
    Atomics.store(this.#words, Word.offset, this.#writer.offset);
    this.#tell(Word.synced, this.#tail | 0);
    return true;
  }

  #tryWrite(byteLength: number): boolean {
    try {
      this.#writer.write(this.#group, this.#groupView, byteLength);
      return true;
    } catch (error) {
      this.#reportFailure(error);
      return false;
    }
  }

  /** Copies as many records as fit and frees their space in the ring. Returns the number of bytes. */
  #take(): number {
    const limit = Math.min(this.#writer.room, MAX_GROUP_BYTES);
    let left = distance(this.#tail, Atomics.load(this.#words, Word.head));
    let byteLength = 0;
    while (left > 0) {
      const place = placeOf(this.#tail);
      const length = this.#ringView.getUint32(place + AT_LENGTH, true);
      if (byteLength + length > limit) break;
      this.#records.copy(this.#group, GROUP_HEADER_BYTES + byteLength, place, place + length);
      byteLength += length;
      const next = advance(this.#tail, length);
      left -= next - this.#tail;
      this.#tail = next;
    }
    Atomics.store(this.#words, Word.tail, this.#tail | 0);
    return byteLength;
  }

  /** Continues in the next file, which is the prepared segment or, if there is none, the emergency segment. */
  #roll(): boolean {
    const { next, emergency } = this.#data;
    for (let isLast = false; ; isLast = true) {
      if (this.#takeReserve(Word.next, next) || this.#takeReserve(Word.emergency, emergency)) return true;
      if (isLast) return false;
      this.#announce();
      Atomics.wait(this.#words, Word.next, Reserved.missing, RESERVE_PATIENCE_MS);
    }
  }

  /** Takes a reserve. The reserve counts as missing, and is prepared again, only once its file has been renamed. */
  #takeReserve(word: number, reserve: Reserve): boolean {
    if (Atomics.compareExchange(this.#words, word, Reserved.ready, Reserved.taking) !== Reserved.ready) return false;
    const hasBegun = this.#tryBegin(reserve);
    // In this order, because `readSynced` must not combine the new segment with the offset in the previous one.
    Atomics.store(this.#words, Word.offset, this.#writer.offset);
    Atomics.store(this.#words, Word.segment, this.#writer.number);
    this.#tell(word, Reserved.missing);
    return hasBegun;
  }

  #tryBegin(reserve: Reserve): boolean {
    try {
      this.#writer.begin(reserve);
      return true;
    } catch (error) {
      this.#reportFailure(error);
      return false;
    }
  }

  /** Abandons a file that failed. The file is never written to or synced again. */
  #reportFailure(error: unknown): void {
    this.#writer.abandon();
    parentPort?.postMessage({ kind: "failed", error } satisfies ThreadMessage);
  }

  #giveUp(): false {
    this.#writer.abandon();
    this.#tell(Word.isDead, 1);
    return false;
  }

  #tell(word: number, value: number): void {
    Atomics.store(this.#words, word, value);
    this.#announce();
  }

  #announce(): void {
    Atomics.add(this.#words, Word.news, 1);
    Atomics.notify(this.#words, Word.news);
  }
}

new JournalThread(workerData as JournalThreadData).run();
