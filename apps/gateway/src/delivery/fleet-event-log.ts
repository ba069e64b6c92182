import type { EventBatch, EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";
import { CARRIED_RECORD_VERSION, versionOfRecord } from "@tollgate/journal/record-version.ts";

/**
 * Sends a record through the log if workers from the previous release can read it. Settles newer records directly.
 * During a fleet upgrade, a message can reach either version of the worker (decision 36).
 */
export function fleetEventLog(log: EventLog, direct: EventLog): EventLog {
  return {
    deliver: async (batch: EventBatch) => {
      const newer = batch.events.filter(({ bytes }) => versionOfRecord(bytes) > CARRIED_RECORD_VERSION);
      if (newer.length === 0) return log.deliver(batch);
      const settled = await direct.deliver({ ...batch, events: newer });
      const ours = new Set(newer);
      const common = batch.events.filter((event) => !ours.has(event));
      if (common.length > 0) await log.deliver({ ...batch, events: common });
      return settled;
    },
  };
}
