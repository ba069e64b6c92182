import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

interface ReclaimedLease {
  readonly organizationId: string;
  readonly nodeId: string;
  readonly epoch: number;
  /** Amount of credit reclaimed from the lease. */
  readonly amount: NanoUsd;
  /** Total amount returned to the budgets. */
  readonly budgetAmount: NanoUsd;
}

// Organizations per transaction. The next run processes the remaining organizations.
const BATCH = 500;

// cspell:ignore forsaken -- the name of an SQL function
/** Reports whether `expireSilentNodes` or `reclaimLeases` would find a lease. */
export async function hasAbandonedLeases(db: Database, afterMs: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from credit_leases lease join gateway_nodes node using (node_id) where is_forsaken(lease, node))
        or exists (select from credit_leases
                    where state = 'lapsed' and lapsed_at < now() - make_interval(secs => ${afterMs / 1_000}))
        as found`.execute(db);
  return rows[0]?.found === true;
}

/** Marks leases as expired if their node missed its heartbeat, and returns the number of expired leases. */
export async function expireSilentNodes(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select lapse_silent_nodes(${BATCH}) as count`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Reclaims the credit of leases that expired at least this long ago. Reports each lease in the outbox, and returns the
 * reclaimed leases.
 */
export async function reclaimLeases(db: Database, afterMs: number): Promise<ReclaimedLease[]> {
  const { rows } = await sql<ReclaimedLease>`
    select organization_id as "organizationId", node_id as "nodeId", epoch, amount, budget_amount as "budgetAmount"
      from reclaim_leases(make_interval(secs => ${afterMs / 1_000}), ${BATCH})`.execute(db);
  return rows;
}
