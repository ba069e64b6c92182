import {
  AT_ENDED,
  AT_ID,
  AT_LENGTH,
  AT_WORD,
  CLOSE_FIXED_BYTES,
  ID_BYTES,
  RECORD_MARK,
  RecordKind,
} from "../record-layout.ts";
import { nextRecordAt, type RecordRange, recordIdAt } from "./record-range.ts";

/** Returns an ID with the length that records need. */
const padId = (id: string): Buffer => Buffer.from(id.padEnd(ID_BYTES), "latin1");

/** Returns a closing record with only the fields that delivery reads. */
export function bareClosing(id: string, endedAtMs: number): Buffer {
  const bytes = Buffer.alloc(CLOSE_FIXED_BYTES);
  bytes.writeUInt32LE(((RECORD_MARK << 16) | (RecordKind.close << 8)) >>> 0, AT_WORD);
  bytes.writeUInt32LE(CLOSE_FIXED_BYTES, AT_LENGTH);
  padId(id).copy(bytes, AT_ID);
  bytes.writeDoubleLE(endedAtMs, AT_ENDED);
  return bytes;
}

/** Joins closing records. */
export const rangeOf = (records: readonly Buffer[]): RecordRange => ({
  bytes: Buffer.concat(records),
  count: records.length,
});

/** Joins IDs as the part of a journal that opens their calls. */
export const openedOf = (ids: readonly string[]): Buffer => Buffer.concat(ids.map(padId));

/** Returns the IDs in the ranges of a batch. */
export function idsIn(ranges: readonly RecordRange[]): string[] {
  const ids: string[] = [];
  for (const { bytes } of ranges)
    for (let offset = 0; offset < bytes.length; offset = nextRecordAt(bytes, offset))
      ids.push(recordIdAt(bytes, offset).trimEnd());
  return ids;
}

/** Returns the IDs in a question to the ledger. */
export const idsAsked = (ids: string): string[] => ids.split(",").map((id) => id.trimEnd());

/** Returns the positions of the IDs that the ledger doesn't know. */
export function positionsMissing(ids: readonly string[], isKnown: (id: string) => boolean): number[] {
  return ids.flatMap((id, position) => (isKnown(id) ? [] : [position]));
}
