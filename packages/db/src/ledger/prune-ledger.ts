import { type RawBuilder, sql } from "kysely";
import type { Database } from "../connect.ts";

/** Retention periods for obsolete rows, in days. */
export interface Keeping {
  /** Days to keep budget windows after their end. */
  readonly budgetWindowDays: number;
  /** Days to keep leases after their start. */
  readonly leaseDays: number;
  /** Days to keep gateway process records after the last heartbeat. */
  readonly silentNodeDays: number;
  /** Days to keep outbox events after their delivery. */
  readonly deliveredReportDays: number;
}

// Maximum number of rows deleted per transaction.
const BATCH = 1_000;

/**
 * Deletes rows that are older than their retention period and no longer needed for verification. Returns the number of
 * deleted rows.
 */
export async function pruneLedger(db: Database, keeping: Keeping): Promise<number> {
  const days = (count: number) => sql`make_interval(days => ${count})`;
  return (
    // Delete nodes first, because a lease is deleted only after its process has restarted or permanently exited.
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
