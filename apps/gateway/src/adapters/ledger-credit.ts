import { hostname } from "node:os";
import type { Database } from "@tollgate/db/connect.ts";
import { closeLeases } from "@tollgate/db/leases/close-leases.ts";
import { heartbeat } from "@tollgate/db/leases/heartbeat.ts";
import { leaseCredit } from "@tollgate/db/leases/lease-credit.ts";
import { registerNode } from "@tollgate/db/leases/register-node.ts";
import type { CreditLedger } from "@tollgate/domain/credit/ports.ts";

/** Connects a node to the ledger in the database, which leases credit to it. */
export function ledgerCredit(db: Database): CreditLedger {
  const host = hostname();
  return {
    registerNode: (nodeId, knownEpoch) => registerNode(db, { nodeId, knownEpoch, host }),
    heartbeat: (beat) => heartbeat(db, beat),
    lease: (nodeId, epoch, admission, requests) => leaseCredit(db, { nodeId, epoch, admission, requests }),
    closeLeases: async (nodeId, beforeEpoch, pending) => {
      await closeLeases(db, nodeId, beforeEpoch, pending);
    },
  };
}
