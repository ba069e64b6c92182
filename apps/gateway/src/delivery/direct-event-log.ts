import type { Database } from "@tollgate/db/connect.ts";
import { settleBatch } from "@tollgate/db/ledger/settle-usage.ts";
import type { EventLog } from "@tollgate/journal/delivery/delivery-ports.ts";
import { LedgerBatch } from "@tollgate/journal/delivery/ledger-batch.ts";

/** Returns an event log that settles over the gateway's own database connection, for use without a message log. */
export function directEventLog(db: Database): EventLog {
  return {
    deliver: async ({ origin, ranges }) => {
      await settleBatch(db, new LedgerBatch([{ nodeId: origin.nodeId, ranges }]));
      return "settled";
    },
  };
}
