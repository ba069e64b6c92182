import { AT_ENDED, AT_ID, AT_LENGTH, CLOSE_FIXED_BYTES, ID_BYTES } from "../record-layout.ts";

/**
 * Closing records as written to the journal, one after the other. Each record contains its own length, so an event is a
 * range of these bytes and needs no object of its own.
 */
export interface RecordRange {
  readonly bytes: Buffer;
  /** Number of records. */
  readonly count: number;
}

/** Returns the offset of the record after the one at `offset`. Throws if that record's length can't be right. */
export function nextRecordAt(bytes: Uint8Array, offset: number): number {
  const at = offset + AT_LENGTH;
  const upper = ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
  const length = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | upper;
  if (length < CLOSE_FIXED_BYTES || offset + length > bytes.length)
    throw new Error(`The record at ${offset} has an invalid length.`);
  return offset + length;
}

/** Splits a range after this many records, without copying them. */
export function splitRange({ bytes, count }: RecordRange, first: number): readonly [RecordRange, RecordRange] {
  let middle = 0;
  for (let left = first; left > 0; left -= 1) middle = nextRecordAt(bytes, middle);
  return [
    { bytes: bytes.subarray(0, middle), count: first },
    { bytes: bytes.subarray(middle), count: count - first },
  ];
}

/** Returns the call ID of the record at `offset`. */
export const recordIdAt = (bytes: Buffer, offset: number): string =>
  bytes.toString("latin1", offset + AT_ID, offset + AT_ID + ID_BYTES);

/** Returns the time when the call of the record at `offset` ended, in Unix milliseconds. */
export const recordEndAt = (bytes: Buffer, offset: number): number => bytes.readDoubleLE(offset + AT_ENDED);

/** Returns the offset of a range's last record. */
export function lastRecordAt({ bytes, count }: RecordRange): number {
  let offset = 0;
  for (let left = count; left > 1; left -= 1) offset = nextRecordAt(bytes, offset);
  return offset;
}
