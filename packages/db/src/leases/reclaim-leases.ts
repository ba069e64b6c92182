import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

export interface ReclaimedLease {
  readonly organizationId: string;
  readonly nodeId: string;
  readonly epoch: number;
  /** Credit that was set aside and is free again. */
  readonly amount: NanoUsd;
  /** The same of its budgets, together. */
  readonly budgetAmount: NanoUsd;
}

// Organizations for one transaction. What is left is found by the next one.
const BATCH = 500;

/** Marks the leases of processes that have been silent for longer than they may use them. Returns how many. */
export async function expireSilentNodes(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select lapse_silent_nodes(${BATCH}) as count`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Gives back what leases hold that lapsed so long ago. Each is reported in the outbox, and returned. */
export async function reclaimLeases(db: Database, afterMs: number): Promise<ReclaimedLease[]> {
  const { rows } = await sql<ReclaimedLease>`
    select organization_id as "organizationId", node_id as "nodeId", epoch, amount, budget_amount as "budgetAmount"
      from reclaim_leases(make_interval(secs => ${afterMs / 1_000}), ${BATCH})`.execute(db);
  return rows;
}
