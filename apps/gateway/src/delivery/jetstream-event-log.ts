import type { UsagePublisher } from "@tollgate/event-log/usage-publisher.ts";
import type { EventBatch, EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";

/** Publishes to the log that workers read. An acknowledged batch is not in the ledger yet. */
export function jetstreamEventLog(publisher: UsagePublisher): EventLog {
  return {
    deliver: async ({ id, origin, events }: EventBatch) => {
      await publisher.publish({ id, ...origin, records: events.map(({ bytes }) => bytes) });
      return { kind: "carried" };
    },
  };
}
