import { decodeRecord, type JournalRecord } from "./decode-record.ts";
import {
  GROUP_HEADER_BYTES,
  isGroupWhole,
  plausibleRecordLength,
  readGroupHeader,
  soundRecordLength,
} from "./group.ts";
import { HEADER_BYTES, type ReadHeader, readHeader } from "./segment-header.ts";

export interface ScannedRecord {
  /** Offset in the segment. */
  readonly position: number;
  /** Length including padding. The raw bytes start at `position`. */
  readonly length: number;
  readonly record: JournalRecord;
}

/** A damaged range of a segment. */
export interface Damage {
  readonly position: number;
  readonly byteLength: number;
  /** Number of lost records; at least one if the number is unknown, 0 for a group header. */
  readonly lostRecords: number;
  /**
   * True if no valid data follows. After a power failure, this range is the unfinished write, and no response relied on
   * it.
   */
  readonly isTail: boolean;
}

interface GroupScan {
  readonly records: readonly ScannedRecord[];
  readonly damage: readonly Damage[];
  /** Offset after the last data read, where a later scan continues. */
  readonly endOffset: number;
}

interface SegmentScan extends GroupScan {
  readonly header: ReadHeader;
}

/** Reads a whole segment. Only the damaged records are lost. */
export function scanSegment(bytes: Buffer): SegmentScan {
  const header = readHeader(bytes);
  if (header.kind === "header")
    return { header, ...scanGroups(bytes.subarray(HEADER_BYTES), header.header.salt, HEADER_BYTES) };
  if (header.kind === "unused") return { header, records: [], damage: [], endOffset: 0 };
  const damage = { position: 0, byteLength: bytes.length, lostRecords: 1, isTail: true };
  return { header, records: [], damage: [damage], endOffset: bytes.length };
}

/** Reads groups from bytes that start at offset `base` in a completed segment. */
export function scanGroups(bytes: Buffer, salt: number, base: number): GroupScan {
  return new GroupScanner(bytes, salt, base).scan();
}

/**
 * Visits the records of a segment that is being written, up to the first incomplete group, and returns where to
 * continue.
 */
export function scanLiveGroups(
  bytes: Buffer,
  salt: number,
  base: number,
  visit: (offset: number, length: number) => void,
): number {
  const view = viewOf(bytes);
  let at = 0;
  for (;;) {
    const header = readGroupHeader(view, at, salt);
    if (header === null || !isGroupWhole(bytes, at, header, salt)) return base + at;
    const end = at + GROUP_HEADER_BYTES + header.byteLength;
    visitRecords(view, at + GROUP_HEADER_BYTES, end, base, visit);
    at = end;
  }
}

class GroupScanner {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #salt: number;
  readonly #base: number;
  readonly #records: ScannedRecord[] = [];
  readonly #damage: Omit<Damage, "isTail">[] = [];
  /** Offset after which the segment contains only zeros. */
  readonly #dataEnd: number;
  /** Offset after the last valid data. */
  #soundEnd = 0;

  constructor(bytes: Buffer, salt: number, base: number) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
    this.#salt = salt;
    this.#base = base;
    this.#dataEnd = findDataEnd(bytes);
  }

  scan(): GroupScan {
    let at = 0;
    while (at < this.#dataEnd) at = this.#readGroup(at);
    const damage = this.#damage.map((part) => ({ ...part, isTail: part.position - this.#base >= this.#soundEnd }));
    return { records: this.#records, damage, endOffset: this.#base + at };
  }

  /** Reads a group and returns the offset of the next group. */
  #readGroup(at: number): number {
    const header = readGroupHeader(this.#view, at, this.#salt);
    const recordsAt = at + GROUP_HEADER_BYTES;
    if (header === null) return this.#readWithoutHeader(at);
    const end = recordsAt + header.byteLength;
    if (isGroupWhole(this.#bytes, at, header, this.#salt)) {
      readSoundRecords(this.#bytes, this.#view, recordsAt, end, this.#base, this.#records);
      this.#soundEnd = end;
      return end;
    }
    const firstRecord = this.#records.length;
    const firstDamage = this.#damage.length;
    this.#salvage(recordsAt, Math.min(end, this.#bytes.length));
    this.#countLost(firstDamage, header.recordCount - (this.#records.length - firstRecord));
    return Math.min(end, this.#bytes.length);
  }

  /** Reads records one by one up to the next header, because the group length is unknown without a readable header. */
  #readWithoutHeader(at: number): number {
    let next = at + 8;
    while (next < this.#dataEnd && readGroupHeader(this.#view, next, this.#salt) === null) {
      const length = soundRecordLength(this.#view, next, this.#bytes.length, this.#salt);
      if (length > 0) break;
      next += 8;
    }
    if (next >= this.#dataEnd || readGroupHeader(this.#view, next, this.#salt) !== null) {
      this.#report(at, Math.min(next, this.#dataEnd));
      return next;
    }
    this.#report(at, next);
    let end = next;
    while (end < this.#dataEnd && readGroupHeader(this.#view, end, this.#salt) === null) end += 8;
    this.#salvage(next, Math.min(end, this.#bytes.length));
    return end;
  }

  /** Collects the valid records in a range and reports the damage between them. */
  #salvage(start: number, end: number): void {
    let at = start;
    let damagedFrom = -1;
    while (at < end) {
      const length = soundRecordLength(this.#view, at, end, this.#salt);
      if (length === 0) {
        if (damagedFrom < 0) damagedFrom = at;
        at += 8;
        continue;
      }
      if (damagedFrom >= 0) this.#report(damagedFrom, at);
      damagedFrom = -1;
      this.#records.push({ position: this.#base + at, length, record: decodeRecord(this.#bytes, at) });
      at += length;
      this.#soundEnd = at;
    }
    if (damagedFrom >= 0) this.#report(damagedFrom, end);
  }

  #report(start: number, end: number): void {
    const lostRecords = this.#countBetween(start, end);
    this.#damage.push({ position: this.#base + start, byteLength: end - start, lostRecords });
  }

  /**
   * Counts lost records by their stated lengths if these are plausible up to the end of the range. Otherwise, counts
   * one. A header-sized gap counts as 0.
   */
  #countBetween(start: number, end: number): number {
    if (end - start === GROUP_HEADER_BYTES && end < this.#dataEnd) return 0;
    let count = 0;
    let at = start;
    while (at < end) {
      const length = plausibleRecordLength(this.#view, at, end);
      if (length === 0) return 1;
      count += 1;
      at += length;
    }
    return Math.max(1, count);
  }

  /** Assigns uncounted records to the last damaged range. A valid header states how many records are missing. */
  #countLost(firstDamage: number, missing: number): void {
    const last = this.#damage.at(-1);
    if (last === undefined || this.#damage.length === firstDamage) return;
    const before = this.#damage.slice(firstDamage, -1).reduce((sum, part) => sum + part.lostRecords, 0);
    this.#damage[this.#damage.length - 1] = { ...last, lostRecords: Math.max(1, missing - before) };
  }
}

function readSoundRecords(
  bytes: Buffer,
  view: DataView,
  start: number,
  end: number,
  base: number,
  into: ScannedRecord[],
): void {
  visitRecords(view, start, end, base, (at, length) =>
    into.push({ position: base + at, length, record: decodeRecord(bytes, at) }),
  );
}

function visitRecords(
  view: DataView,
  start: number,
  end: number,
  base: number,
  visit: (offset: number, length: number) => void,
): void {
  for (let at = start; at < end; ) {
    const length = plausibleRecordLength(view, at, end);
    if (length === 0) throw new Error(`A group with a valid checksum has no record at ${base + at}.`);
    visit(at, length);
    at += length;
  }
}

/** Returns the end of the nonzero data, rounded up to a record boundary. */
function findDataEnd(bytes: Buffer): number {
  let end = bytes.length;
  // Most of a segment may be unwritten zeros, so compare large chunks first.
  while (end >= ZEROS.length && bytes.compare(ZEROS, 0, ZEROS.length, end - ZEROS.length, end) === 0)
    end -= ZEROS.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return Math.min((end + 7) & ~7, bytes.length);
}

const ZEROS = Buffer.alloc(64 * 1_024);

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
