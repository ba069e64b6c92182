import { AT_ID, AT_WORD, ID_BYTES, RecordKind } from "../record-layout.ts";
import { type Damage, scanGroups, scanLiveGroups, scanSegment } from "../scan-segment.ts";
import { HEADER_BYTES, type ReadHeader, readHeader, type SegmentHeader } from "../segment-header.ts";
import type { JournalChunk, JournalSource } from "./delivery-ports.ts";
import type { JournalSignal, SyncedPosition } from "./journal-signal.ts";
import { type RecordRange, recordIdAt, splitRange } from "./record-range.ts";

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
  readonly isDone: boolean;
  readonly header: SegmentHeader;
  offset: number;
}

const READ_BYTES = 256 * 1_024;
// A group can't exceed the size of the ring buffer that records wait in.
const LARGEST_GROUP_BYTES = 8 * 1_024 * 1_024;
const SAMPLED_SEGMENTS = 2;
const SAMPLED_EVENTS = 32;
const FIRST_BYTES = 8;
const FIRST_BYTES_OF_IDS = 1_024 * ID_BYTES;
const WHOLE_SEGMENT_BYTES = 2 ** 31 - 1;

/** Reads a journal directory from the oldest unfinished segment, while another thread writes to it. */
export class SegmentSource implements JournalSource {
  readonly #files: SegmentFiles;
  readonly #signal: JournalSignal;
  readonly #onDamage: (segment: number, damage: Damage) => void;
  /** State of the journal before the last read. */
  #version = 0;
  #synced: SyncedPosition = { segment: 0, offset: 0 };
  #wasClosed = false;
  #wake: (() => void) | null = null;
  #position: Position | null = null;
  #nextSegment = 0;
  /** True if a segment of this process that is not done has been read. */
  #hasUnfinished = false;
  #mustClearDone = false;
  #marking: Promise<void> = Promise.resolve();
  #isJournalClosed = false;
  /** Records that were read from the file but not yet returned. */
  readonly #found = new FoundRecords();
  #closed: RecordRange = NO_RECORDS;
  #hasEnded = false;
  /** True if the last read of the file ended before its synced part did. */
  #hasMore = false;

  constructor(files: SegmentFiles, signal: JournalSignal, onDamage: (segment: number, damage: Damage) => void) {
    this.#files = files;
    this.#signal = signal;
    this.#onDamage = onDamage;
  }

  /** Declares the journal closed, so that its last segment ends after the last record. */
  closeJournal(): void {
    this.#isJournalClosed = true;
    this.#tellGrown();
  }

  async read(limit: number): Promise<JournalChunk | null> {
    // Taken before the files are read, so that whatever is written meanwhile counts as growth.
    this.#version = this.#signal.version();
    this.#synced = this.#signal.synced();
    this.#wasClosed = this.#isJournalClosed;
    for (;;) {
      this.#position ??= await this.#openNext();
      const position = this.#position;
      if (position === null) return null;
      const { offset } = position;
      if (this.#isEmpty && !this.#hasEnded) await this.#fill(position);
      if (this.#position === null) continue;
      if (!this.#isEmpty || this.#hasEnded) return this.#handOut(position, limit);
      // Checkpoints are not returned. Other records may follow them.
      if (position.offset === offset) return null;
    }
  }

  whenGrown(wake: () => void): void {
    const isWaiting = this.#wake !== null;
    this.#wake = wake;
    if (this.#wasClosed !== this.#isJournalClosed) queueMicrotask(() => this.#tellGrown());
    // A wait that has not ended yet ends with the next growth, too.
    if (!isWaiting) this.#signal.wait(this.#version, () => this.#tellGrown());
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
    this.#hasUnfinished = false;
    this.#mustClearDone = true;
  }

  get #isEmpty(): boolean {
    return this.#found.isEmpty && this.#closed.count === 0;
  }

  #tellGrown(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #handOut(position: Position, limit: number): JournalChunk {
    const { segment, isDone, header } = position;
    const opened = this.#takeOpened(position);
    if (this.#closed.count === 0) this.#closed = this.#found.takeClosed();
    const [closed, rest] = this.#closed.count > limit ? splitRange(this.#closed, limit) : [this.#closed, NO_RECORDS];
    this.#closed = rest;
    const endsSegment = this.#hasEnded && rest.count === 0;
    if (endsSegment) this.#leave(segment);
    const hasMore = endsSegment || rest.count > 0 || this.#hasMore;
    const origin = { nodeId: header.nodeId, epoch: header.epoch };
    return { segment, origin, opened, closed, isDone, endsSegment, hasMore };
  }

  /**
   * Returns the calls that keep this segment from being finished until they are closed. If a call of an earlier run
   * did that, the segment might never be finished: the call's closing record may be in a segment that is already done.
   */
  #takeOpened({ segment, isDone }: Position): Buffer {
    const opened = this.#found.takeOpened();
    return isDone || segment < this.#signal.firstSegment ? NO_RECORDS.bytes : opened;
  }

  /**
   * Opens the next segment that has records. If only delivery was restarted, segments of this process may be done after
   * one that is not. They are read again, because they may close its calls.
   */
  async #openNext(): Promise<Position | null> {
    const passedOver: number[] = [];
    if (this.#mustClearDone) {
      // Without this wait, a mark in flight would be written after the marks are cleared, and hide its segment again.
      await this.#marking.catch(() => {});
      await this.#files.clearDone();
    }
    this.#mustClearDone = false;
    for (const { number, isDone } of await this.#files.list()) {
      if (number < this.#nextSegment || (isDone && !this.#hasUnfinished)) continue;
      const found = await this.#readHeader(number);
      if (found?.kind !== "header") {
        passedOver.push(number);
        continue;
      }
      // Segments are used in order. An earlier segment that looked unused may have been written since then. A segment
      // that is still unused was prepared by a process that died, or has a damaged header.
      const opened = (await this.#openFirst(passedOver)) ?? beginningOf(number, found.header, isDone);
      this.#hasUnfinished ||= !opened.isDone && opened.segment >= this.#signal.firstSegment;
      return opened;
    }
    return null;
  }

  async #openFirst(segments: readonly number[]): Promise<Position | null> {
    for (const number of segments) {
      const found = await this.#readHeader(number);
      if (found?.kind === "header") return beginningOf(number, found.header, false);
      if (found?.kind === "damaged" || found?.kind === "unknown_version")
        this.#onDamage(number, { position: 0, byteLength: HEADER_BYTES, lostRecords: 1, isTail: false });
    }
    return null;
  }

  /** Reads whole groups after the position. A completed segment is read to the end, skipping damage. */
  async #fill(position: Position): Promise<void> {
    try {
      await this.#find(position);
    } catch (error) {
      // The same bytes are read again, so what was found in them must not be returned twice.
      this.#found.clear();
      throw error;
    }
  }

  async #find(position: Position): Promise<void> {
    const syncedEnd = this.#syncedEndOf(position.segment);
    if (syncedEnd <= position.offset) return;
    for (let most = READ_BYTES; most <= LARGEST_GROUP_BYTES; most *= 2) {
      const length = Math.min(most, syncedEnd - position.offset);
      const bytes = await this.#files.read(position.segment, position.offset, length);
      if (bytes === null) return this.#leave(position.segment);
      const end = scanLiveGroups(bytes, position.header.salt, position.offset, (at, recordLength) =>
        this.#found.add(bytes, at, recordLength),
      );
      if (end > position.offset) {
        this.#hasMore = end < syncedEnd;
        position.offset = end;
        return;
      }
      if (bytes.length < most || isZero(bytes)) break;
    }
    if (!this.#isOver(position.segment)) return;
    const bytes = await this.#files.read(position.segment, position.offset, WHOLE_SEGMENT_BYTES);
    if (bytes === null) return this.#leave(position.segment);
    const base = position.offset;
    const scan = scanGroups(bytes, position.header.salt, base);
    for (const { position: at, length } of scan.records) this.#found.add(bytes, at - base, length);
    position.offset = scan.endOffset;
    for (const damage of scan.damage) this.#onDamage(position.segment, damage);
    this.#hasEnded = true;
  }

  /** Reports whether a segment is complete: its writer has moved to a later segment or has stopped. */
  #isOver(segment: number): boolean {
    return this.#wasClosed || segment < this.#signal.firstSegment || segment < this.#synced.segment;
  }

  /**
   * Returns the offset up to which a segment may be read. If a closing record were read before it is synced, a power
   * failure could undo it after the segment with the call's open record is done, and recovery would not find the call.
   */
  #syncedEndOf(segment: number): number {
    if (this.#isOver(segment)) return Number.POSITIVE_INFINITY;
    return segment === this.#synced.segment ? this.#synced.offset : 0;
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
    this.#found.clear();
    this.#closed = NO_RECORDS;
    this.#hasEnded = false;
    this.#hasMore = false;
  }
}

const NO_RECORDS: RecordRange = { bytes: Buffer.alloc(0), count: 0 };

/** Collects the records that delivery needs, one after the other, in memory that is reused. */
class FoundRecords {
  #opened: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES_OF_IDS);
  #openedEnd = 0;
  #closed: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  #closedEnd = 0;
  #count = 0;

  get isEmpty(): boolean {
    return this.#openedEnd === 0 && this.#closedEnd === 0;
  }

  /** Adds the record at `at`. Ignores checkpoints, which only recovery needs. */
  add(bytes: Buffer, at: number, length: number): void {
    switch ((bytes.readUInt32LE(at + AT_WORD) >>> 8) & 0xff) {
      case RecordKind.open:
      case RecordKind.reopen:
        this.#opened = withSpace(this.#opened, this.#openedEnd, ID_BYTES);
        this.#openedEnd += bytes.copy(this.#opened, this.#openedEnd, at + AT_ID, at + AT_ID + ID_BYTES);
        break;
      case RecordKind.close:
        this.#closed = withSpace(this.#closed, this.#closedEnd, length);
        this.#closedEnd += bytes.copy(this.#closed, this.#closedEnd, at, at + length);
        this.#count += 1;
        break;
      case RecordKind.checkpoint:
        break;
      default:
        throw new Error(
          `The record of request ${recordIdAt(bytes, at)} has a type that this version does not support.`,
        );
    }
  }

  takeOpened(): Buffer {
    const opened = Buffer.from(this.#opened.subarray(0, this.#openedEnd));
    this.#openedEnd = 0;
    return opened;
  }

  takeClosed(): RecordRange {
    const closed = { bytes: Buffer.from(this.#closed.subarray(0, this.#closedEnd)), count: this.#count };
    this.#closedEnd = 0;
    this.#count = 0;
    return closed;
  }

  clear(): void {
    this.#openedEnd = 0;
    this.#closedEnd = 0;
    this.#count = 0;
  }
}

/** Returns the buffer, or a larger copy if it has less space than this after `end`. */
function withSpace(buffer: Buffer, end: number, byteLength: number): Buffer {
  if (buffer.length - end >= byteLength) return buffer;
  const larger = Buffer.allocUnsafeSlow(2 * (buffer.length + byteLength));
  buffer.copy(larger, 0, 0, end);
  return larger;
}

const beginningOf = (segment: number, header: SegmentHeader, isDone: boolean): Position => ({
  segment,
  isDone,
  header,
  offset: HEADER_BYTES,
});

const isZero = (bytes: Buffer): boolean => bytes.length >= 8 && bytes.readBigUInt64LE(0) === 0n;
