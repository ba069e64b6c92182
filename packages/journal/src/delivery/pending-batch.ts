import { AT_ID, ID_BYTES } from "../record-layout.ts";
import type { EventBatch, JournalOrigin } from "./delivery-ports.ts";
import { lastRecordAt, nextRecordAt, type RecordRange, recordEndAt, recordIdAt } from "./record-range.ts";

const COMMA = 44;

/** Closing records of one segment that the ledger has not confirmed. */
export interface PendingRange extends RecordRange {
  readonly segment: number;
  readonly origin: JournalOrigin;
}

/** A batch that was sent and is not yet confirmed by the ledger. Times are monotonic. */
export interface PendingBatch extends EventBatch {
  readonly ranges: readonly PendingRange[];
  deliveries: number;
  deliveredAtMs: number;
  /** Number of ledger queries since the last delivery that didn't find all of its events. */
  denials: number;
  askAtMs: number;
}

/** Forms a batch from ranges of one origin. */
export function formBatch(id: string, origin: JournalOrigin, ranges: readonly PendingRange[]): PendingBatch {
  const count = ranges.reduce((sum, range) => sum + range.count, 0);
  return { id, origin, ranges, count, deliveries: 0, deliveredAtMs: 0, denials: 0, askAtMs: 0 };
}

/** Returns the end time of the first event of the ranges, in Unix milliseconds; null without ranges. */
export function firstEndOf(ranges: readonly RecordRange[]): number | null {
  const first = ranges[0];
  return first === undefined ? null : recordEndAt(first.bytes, 0);
}

/** Returns the IDs of all events, separated by commas. */
export function idsOf({ ranges, count }: EventBatch): string {
  const text = Buffer.allocUnsafe(count * (ID_BYTES + 1));
  let end = 0;
  for (const { bytes } of ranges)
    for (let offset = 0; offset < bytes.length; offset = nextRecordAt(bytes, offset)) {
      end += bytes.copy(text, end, offset + AT_ID, offset + AT_ID + ID_BYTES);
      end = text.writeUInt8(COMMA, end);
    }
  return text.toString("latin1", 0, end - 1);
}

/** Returns the IDs of the first and the last event; one ID if they are the same event. */
export function outerIdsOf(ranges: readonly RecordRange[]): readonly string[] {
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (first === undefined || last === undefined) return [];
  const ids = [recordIdAt(first.bytes, 0), recordIdAt(last.bytes, lastRecordAt(last))];
  return ids[0] === ids[1] ? ids.slice(1) : ids;
}

/**
 * Splits the events of a batch. `positions` are ascending positions in the batch. The first part has the events at
 * these positions, and the second part has all other events.
 */
export function partition(
  { ranges }: PendingBatch,
  positions: readonly number[],
): readonly [readonly PendingRange[], readonly PendingRange[]] {
  const inside: PendingRange[] = [];
  const outside: PendingRange[] = [];
  let [position, next] = [0, 0];
  for (const range of ranges) {
    const parts = { inside: [] as Buffer[], outside: [] as Buffer[] };
    for (let offset = 0; offset < range.bytes.length; position += 1) {
      const end = nextRecordAt(range.bytes, offset);
      const isInside = positions[next] === position;
      if (isInside) next += 1;
      parts[isInside ? "inside" : "outside"].push(range.bytes.subarray(offset, end));
      offset = end;
    }
    if (parts.inside.length > 0) inside.push(joinRecords(range, parts.inside));
    if (parts.outside.length > 0) outside.push(joinRecords(range, parts.outside));
  }
  return [inside, outside];
}

function joinRecords(range: PendingRange, records: readonly Buffer[]): PendingRange {
  return { ...range, bytes: Buffer.concat(records), count: records.length };
}
