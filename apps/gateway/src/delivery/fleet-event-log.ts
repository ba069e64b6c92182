import type { EventBatch, EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";
import { nextRecordAt, type RecordRange } from "@tollgate/journal/delivery/record-range.ts";
import { CARRIED_RECORD_VERSION, versionOfRecord } from "@tollgate/journal/record-version.ts";

/**
 * Sends a record through the log if workers from the previous release can read it. Settles newer records directly.
 * During a fleet upgrade, a message can reach either version of the worker (decision 36).
 */
export function fleetEventLog(log: EventLog, direct: EventLog): EventLog {
  return {
    deliver: async (batch: EventBatch) => {
      if (!batch.ranges.some(({ bytes }) => hasNewer(bytes))) return log.deliver(batch);
      const newer = select(batch, true);
      const answer = await direct.deliver(newer);
      if (newer.count === batch.count) return answer;
      return log.deliver(select(batch, false));
    },
  };
}

const isNewer = (bytes: Buffer, offset: number): boolean => versionOfRecord(bytes, offset) > CARRIED_RECORD_VERSION;

function hasNewer(bytes: Buffer): boolean {
  for (let offset = 0; offset < bytes.length; offset = nextRecordAt(bytes, offset))
    if (isNewer(bytes, offset)) return true;
  return false;
}

/** Returns a batch of only the newer records, or of only the others. */
function select(batch: EventBatch, wantsNewer: boolean): EventBatch {
  const ranges = batch.ranges.map(({ bytes }): RecordRange => {
    const records: Buffer[] = [];
    for (let offset = 0; offset < bytes.length; ) {
      const end = nextRecordAt(bytes, offset);
      if (isNewer(bytes, offset) === wantsNewer) records.push(bytes.subarray(offset, end));
      offset = end;
    }
    return { bytes: Buffer.concat(records), count: records.length };
  });
  return { ...batch, ranges, count: ranges.reduce((sum, { count }) => sum + count, 0) };
}
