import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { decodeRecord, recordLengthAt, toUsageEvent } from "../decode-record.ts";

/** Decodes the events of contiguous closing records. Throws if the bytes are not closing records. */
export function readUsageEvents(records: Uint8Array, nodeId: string): UsageEvent[] {
  const bytes = Buffer.from(records.buffer, records.byteOffset, records.byteLength);
  const events: UsageEvent[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const record = decodeRecord(bytes, offset);
    if (record.kind !== "close") throw new Error(`The record at ${offset} does not close a request.`);
    events.push(toUsageEvent(record, nodeId));
    const length = recordLengthAt(bytes, offset);
    if (length <= 0) throw new Error(`The record at ${offset} has no length.`);
    offset += length;
  }
  return events;
}
