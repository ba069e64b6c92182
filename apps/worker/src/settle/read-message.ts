import { decodeUsageBatch } from "@tollgate/event-log/usage-batch.ts";
import { JsonBuffer } from "@tollgate/journal/delivery/json-buffer.ts";
import { nextRecordAt, type RecordRange } from "@tollgate/journal/delivery/record-range.ts";
import { type NodeRecords, writeLedgerJson } from "@tollgate/journal/delivery/write-ledger-json.ts";
import { NEWEST_RECORD_VERSION } from "@tollgate/journal/record-version.ts";

type ReadMessage =
  | { readonly kind: "records"; readonly records: NodeRecords; readonly count: number }
  | { readonly kind: "unreadable"; readonly reason: string }
  /** The message is from a later release, whose workers can read it. */
  | { readonly kind: "newer"; readonly reason: string };

const checked = new JsonBuffer();

/** Reads the records of a message from the log. Returns either all of the records or none. */
export function readMessage(message: Uint8Array): ReadMessage {
  const decoded = decodeUsageBatch(message, NEWEST_RECORD_VERSION);
  if (decoded.kind !== "batch") return decoded;
  const { nodeId, count } = decoded.batch;
  const { buffer, byteOffset, byteLength } = decoded.batch.records;
  try {
    const range = findRecords(Buffer.from(buffer, byteOffset, byteLength));
    if (range.count !== count)
      return { kind: "unreadable", reason: `it declares ${count} events but has ${range.count}` };
    const records = { nodeId, ranges: [range] };
    // A record that can't be written as an event must not fail the messages that are settled with it.
    writeLedgerJson(checked, [records]);
    return { kind: "records", records, count };
  } catch (error) {
    return { kind: "unreadable", reason: `its records cannot be decoded: ${(error as Error).message}` };
  }
}

function findRecords(bytes: Buffer): RecordRange {
  let count = 0;
  for (let offset = 0; offset < bytes.length; offset = nextRecordAt(bytes, offset)) count += 1;
  return { bytes, count };
}
