import { type RawBuilder, sql } from "kysely";
import type { Database } from "../connect.ts";

/** How long what nobody needs any more is kept, in days. */
export interface Keeping {
  /** Windows of budgets, after their end. */
  readonly budgetWindowDays: number;
  /** Leases, after their beginning. */
  readonly leaseDays: number;
  /** Gateway processes, after their last word. */
  readonly silentNodeDays: number;
  /** Reports to others, after they were delivered. */
  readonly deliveredReportDays: number;
}

// Rows in one transaction.
const BATCH = 1_000;

/** Removes what is older than that and proves nothing any more. Returns how many rows. */
export async function pruneLedger(db: Database, keeping: Keeping): Promise<number> {
  const days = (count: number) => sql`make_interval(days => ${count})`;
  return (
    // Nodes first: a lease goes only when its process is gone for good, or has started anew.
    (await removeAll(db, sql`select prune_nodes(${days(keeping.silentNodeDays)}) as removed`)) +
    (await removeAll(db, sql`select prune_budget_windows(${days(keeping.budgetWindowDays)}, ${BATCH}) as removed`)) +
    (await removeAll(db, sql`select prune_leases(${days(keeping.leaseDays)}, ${BATCH}) as removed`)) +
    (await removeAll(db, sql`select prune_outbox(${days(keeping.deliveredReportDays)}, ${BATCH}) as removed`))
  );
}

async function removeAll(db: Database, statement: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (;;) {
    const { rows } = await (statement as RawBuilder<{ removed: number }>).execute(db);
    const removed = rows[0]?.removed ?? 0;
    if (removed === 0) return total;
    total += removed;
  }
}
