import { pruneChangeFeed } from "@tollgate/db/change-feed.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { type Keeping, pruneLedger } from "@tollgate/db/ledger/prune-ledger.ts";
import { closeDay, dropClosedPartitions, listDaysToClose } from "@tollgate/db/ledger/usage-partitions.ts";
import { pruneReports } from "@tollgate/db/usage/write-calls.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";

const SEAL_AFTER_DAYS = 2;
const KEEP_REFUSED_DAYS = 90;
const KEEPING: Keeping = { budgetWindowDays: 90, leaseDays: 30, silentNodeDays: 30, deliveredReportDays: 30 };

/** Closes past days, drops the calls of expired days, and deletes data that is no longer needed. */
export async function applyUsageRetention(db: Database, logger: Logger, keepCallsDays: number): Promise<void> {
  for (const day of await listDaysToClose(db, SEAL_AFTER_DAYS)) {
    const outcome = await closeDay(db, day);
    if (outcome === "unequal") logger.error(`could not close ${day}: its requests do not match its totals`);
  }
  const dropped = await dropClosedPartitions(db, keepCallsDays);
  if (dropped.length > 0) logger.info("dropped requests of days past retention", { count: dropped.length });
  const removed =
    (await pruneLedger(db, KEEPING)) +
    (await pruneReports(db, Math.min(KEEP_REFUSED_DAYS, keepCallsDays))) +
    (await pruneChangeFeed(db));
  if (removed > 0) logger.info("deleted obsolete rows", { count: removed });
}
