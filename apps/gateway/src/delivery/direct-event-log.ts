import type { Database } from "@tollgate/db/connect.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import type { EventBatch, EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";
import { readUsageEvents } from "@tollgate/journal/delivery/read-usage-events.ts";

/** Settles in the gateway's own connection: the whole way to the ledger when there is no log. */
export function directEventLog(db: Database): EventLog {
  return {
    deliver: async ({ origin, events }: EventBatch) => {
      const usage = events.flatMap(({ bytes }) => readUsageEvents(bytes, origin.nodeId));
      const outcomes = await settleUsage(db, usage);
      return { kind: "settled", ids: [...outcomes.keys()] };
    },
  };
}
