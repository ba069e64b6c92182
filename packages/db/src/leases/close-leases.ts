import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { writeAmounts } from "./write-amounts.ts";

// Organizations per transaction. Their rows are locked until it commits.
const BATCH = 200;

/**
 * Closes this node's leases from before the given epoch and returns their credit, except the amounts for `pending`
 * events that are not in the ledger yet. Returns the number of closed leases. Safe to repeat.
 */
export async function closeLeases(
  db: Database,
  nodeId: string,
  beforeEpoch: number,
  pending: readonly PendingEvent[],
): Promise<number> {
  // A budget lease can remain after the credit lease is closed, if an event that needed the budget lease reached the
  // ledger only afterward.
  const open = await sql<{ organization_id: string }>`
    select organization_id from credit_leases
     where node_id = ${nodeId} and epoch < ${beforeEpoch} and state in ('active', 'lapsed', 'closing')
    union
    select organization_id from budget_leases
     where node_id = ${nodeId} and epoch < ${beforeEpoch} and outstanding > 0
     order by organization_id`.execute(db);
  const eventsOf = Map.groupBy(pending, (event) => event.organizationId);
  let closed = 0;
  for (let start = 0; start < open.rows.length; start += BATCH) {
    const organizations = open.rows.slice(start, start + BATCH).map((row) => row.organization_id);
    const events = organizations.flatMap((organization) => eventsOf.get(organization) ?? []);
    const { rows } = await sql<{ count: number }>`
      select close_leases(${nodeId}, ${beforeEpoch}, ${organizations}, ${writeAmounts(events)}::jsonb) as count`.execute(
      db,
    );
    closed += rows[0]?.count ?? 0;
  }
  return closed;
}
