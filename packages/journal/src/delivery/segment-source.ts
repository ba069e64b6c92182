import { peekRecord } from "../decode-record.ts";
import { type Damage, scanGroups, scanLiveGroups, scanSegment } from "../scan-segment.ts";
import { HEADER_BYTES, type ReadHeader, readHeader, type SegmentHeader } from "../segment-header.ts";
import type { JournalChunk, JournalEntry, JournalSource } from "./delivery-ports.ts";

/** File access to one journal directory. */
export interface SegmentFiles {
  /** Lists all segments. */
  list(): Promise<readonly ListedSegment[]>;
  /**
   * Reads bytes from a segment. Returns fewer bytes at the end of the segment, and null if the segment no longer
   * exists.
   */
  read(segment: number, offset: number, length: number): Promise<Buffer | null>;
  markDone(segment: number): Promise<void>;
  /** Durably removes every done mark, because a crash must not undo a redelivery. */
  clearDone(): Promise<void>;
}

export interface ListedSegment {
  readonly number: number;
  readonly isDone: boolean;
}

interface Position {
  readonly segment: number;
  readonly header: SegmentHeader;
  offset: number;
}

const READ_BYTES = 256 * 1_024;
// A group can't exceed the size of the ring buffer that records wait in.
const LARGEST_GROUP_BYTES = 8 * 1_024 * 1_024;
const SAMPLED_SEGMENTS = 2;
const SAMPLED_EVENTS = 32;
const FIRST_BYTES = 8;
const WHOLE_SEGMENT_BYTES = 2 ** 31 - 1;

/** Reads a journal directory from the oldest unfinished segment, while another thread writes to it. */
export class SegmentSource implements JournalSource {
  readonly #files: SegmentFiles;
  readonly #onDamage: (segment: number, damage: Damage) => void;
  #position: Position | null = null;
  #nextSegment = 0;
  #mustClearDone = false;
  #marking: Promise<void> = Promise.resolve();
  #isJournalClosed = false;
  /** Records that were read from the file but not yet returned. */
  #rest: JournalEntry[] = [];
  #hasEnded = false;

  constructor(files: SegmentFiles, onDamage: (segment: number, damage: Damage) => void) {
    this.#files = files;
    this.#onDamage = onDamage;
  }

  /** Declares the journal closed, so that its last segment ends after the last record. */
  closeJournal(): void {
    this.#isJournalClosed = true;
  }

  async read(limit: number): Promise<JournalChunk | null> {
    for (;;) {
      this.#position ??= await this.#openNext();
      const position = this.#position;
      if (position === null) return null;
      if (this.#rest.length === 0 && !this.#hasEnded) await this.#fill(position);
      if (this.#position === null) continue;
      if (this.#rest.length === 0 && !this.#hasEnded) return null;
      return this.#handOut(position, limit);
    }
  }

  /** Returns some of the last events confirmed before this process started. Skips segments without events. */
  async readConfirmed(): Promise<readonly string[]> {
    const done = (await this.#files.list()).filter(({ isDone }) => isDone);
    const ids: string[] = [];
    let sampled = 0;
    for (const { number } of done.reverse()) {
      const bytes = (await this.#isUnused(number)) ? null : await this.#files.read(number, 0, WHOLE_SEGMENT_BYTES);
      const closings = bytes === null ? [] : scanSegment(bytes).records.filter(({ record }) => record.kind === "close");
      if (closings.length === 0) continue;
      for (const { record } of closings.slice(-SAMPLED_EVENTS)) if (record.kind === "close") ids.push(record.call.id);
      sampled += 1;
      if (sampled === SAMPLED_SEGMENTS) break;
    }
    return ids;
  }

  finish(segment: number): Promise<void> {
    this.#marking = this.#files.markDone(segment);
    return this.#marking;
  }

  rewind(): void {
    this.#leave(-1);
    this.#mustClearDone = true;
  }

  #handOut({ segment, header }: Position, limit: number): JournalChunk {
    let end = 0;
    for (let closings = 0; end < this.#rest.length && closings < limit; end += 1)
      if (this.#rest[end]?.kind === "close") closings += 1;
    const entries = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    const endsSegment = this.#hasEnded && this.#rest.length === 0;
    if (endsSegment) this.#leave(segment);
    return { segment, origin: { nodeId: header.nodeId, epoch: header.epoch }, entries, endsSegment };
  }

  /** Opens the next segment that has records. */
  async #openNext(): Promise<Position | null> {
    const passedOver: number[] = [];
    if (this.#mustClearDone) {
      // Without this wait, a mark in flight would be written after the marks are cleared, and hide its segment again.
      await this.#marking.catch(() => {});
      await this.#files.clearDone();
    }
    this.#mustClearDone = false;
    for (const { number, isDone } of await this.#files.list()) {
      if (number < this.#nextSegment || isDone) continue;
      const found = await this.#readHeader(number);
      if (found?.kind !== "header") {
        passedOver.push(number);
        continue;
      }
      // Segments are used in order. An earlier segment that looked unused may have been written since then. A segment
      // that is still unused was prepared by a process that died, or has a damaged header.
      return (await this.#openFirst(passedOver)) ?? beginningOf(number, found.header);
    }
    return null;
  }

  async #openFirst(segments: readonly number[]): Promise<Position | null> {
    for (const number of segments) {
      const found = await this.#readHeader(number);
      if (found?.kind === "header") return beginningOf(number, found.header);
      if (found?.kind === "damaged" || found?.kind === "unknown_version")
        this.#onDamage(number, { position: 0, byteLength: HEADER_BYTES, lostRecords: 1, isTail: false });
    }
    return null;
  }

  /** Reads whole groups after the position. A completed segment is read to the end, skipping damage. */
  async #fill(position: Position): Promise<void> {
    for (let length = READ_BYTES; length <= LARGEST_GROUP_BYTES; length *= 2) {
      const bytes = await this.#files.read(position.segment, position.offset, length);
      if (bytes === null) return this.#leave(position.segment);
      const end = scanLiveGroups(bytes, position.header.salt, position.offset, (at, recordLength) =>
        this.#keep(bytes, at, recordLength),
      );
      if (end > position.offset) {
        position.offset = end;
        return;
      }
      if (bytes.length < length || isZero(bytes)) break;
    }
    if (!(await this.#isOver(position.segment))) return;
    const bytes = await this.#files.read(position.segment, position.offset, WHOLE_SEGMENT_BYTES);
    if (bytes === null) return this.#leave(position.segment);
    const base = position.offset;
    const scan = scanGroups(bytes, position.header.salt, base);
    for (const { position: at, length } of scan.records) this.#keep(bytes, at - base, length);
    position.offset = scan.endOffset;
    for (const damage of scan.damage) this.#onDamage(position.segment, damage);
    this.#hasEnded = true;
  }

  #keep(bytes: Buffer, at: number, length: number): void {
    const { kind, id, endedAtMs } = peekRecord(bytes, at);
    if (kind === "unknown")
      throw new Error(`The record of request ${id} has a type that this version does not support.`);
    if (kind === "open") this.#rest.push({ kind, id });
    if (kind !== "close") return;
    // Copy the bytes; otherwise one waiting event would retain the whole read buffer.
    this.#rest.push({ kind, id, endedAtMs, bytes: Buffer.from(bytes.subarray(at, at + length)) });
  }

  /** Reports whether a segment is complete: its writer has moved to a later segment or has stopped. */
  async #isOver(segment: number): Promise<boolean> {
    if (this.#isJournalClosed) return true;
    for (const { number } of await this.#files.list())
      if (number > segment && (await this.#readHeader(number))?.kind === "header") return true;
    return false;
  }

  /** Reports whether no record follows the header, by reading a few bytes instead of a whole prepared segment. */
  async #isUnused(segment: number): Promise<boolean> {
    const bytes = await this.#files.read(segment, HEADER_BYTES, FIRST_BYTES);
    return bytes === null || bytes.length < FIRST_BYTES || isZero(bytes);
  }

  async #readHeader(segment: number): Promise<ReadHeader | null> {
    const bytes = await this.#files.read(segment, 0, HEADER_BYTES);
    return bytes === null ? null : readHeader(bytes);
  }

  #leave(segment: number): void {
    this.#position = null;
    this.#nextSegment = segment + 1;
    this.#rest = [];
    this.#hasEnded = false;
  }
}

const beginningOf = (segment: number, header: SegmentHeader): Position => ({ segment, header, offset: HEADER_BYTES });

const isZero = (bytes: Buffer): boolean => bytes.length >= 8 && bytes.readBigUInt64LE(0) === 0n;
