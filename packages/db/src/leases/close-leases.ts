import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { writeAmounts } from "./write-amounts.ts";

// Organizations for one transaction, which keeps their rows from everyone else while it lasts.
const BATCH = 200;

/**
 * Gives back what runs of this node before that epoch had set aside, all but what `pending` events need that the ledger
 * does not have. Returns how many leases that were. May be repeated.
 */
export async function closeLeases(
  db: Database,
  nodeId: string,
  beforeEpoch: number,
  pending: readonly PendingEvent[],
): Promise<number> {
  // A budget's lease may be left when the credit's is closed: an event that needed it came to the ledger only afterwards.
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
