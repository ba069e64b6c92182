import type { Database } from "@tollgate/db/connect.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import type { EventBatch, EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";
import { readUsageEvents } from "@tollgate/journal/delivery/read-usage-events.ts";

/** Returns an event log that settles over the gateway's own database connection, for use without a message log. */
export function directEventLog(db: Database): EventLog {
  return {
    deliver: async ({ origin, events }: EventBatch) => {
      const usage = events.flatMap(({ bytes }) => readUsageEvents(bytes, origin.nodeId));
      const outcomes = await settleUsage(db, usage);
      return { kind: "settled", ids: [...outcomes.keys()] };
    },
  };
}
