import { AT_LENGTH, CLOSE_FIXED_BYTES } from "../record-layout.ts";

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
