import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { enqueueJob } from "../jobs.ts";
import { findBrokenInvariants, type VerifyOptions } from "../ledger/verify/find-broken-invariants.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Result of one ledger verification. */
export interface ReconciliationReport {
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly isOk: boolean;
  readonly checks: readonly ReconciliationCheck[];
}

interface ReconciliationCheck {
  readonly id: string;
  readonly title: string;
  readonly ok: boolean;
  /** Number of differences. `examples` contains the first differences. */
  readonly count: number;
  /** Total difference of the listed records in nano-USD; absent in reports from earlier releases. */
  readonly amount?: string;
  readonly examples: readonly string[];
}

const EXAMPLES = 10;

/**
 * Verifies the ledger from one snapshot and stores the result. Violations are reported to the operator through the
 * outbox and never repaired here. Needs a connection with a statement timeout of several minutes.
 */
export async function reconcile(
  db: Database,
  options: Pick<VerifyOptions, "admission" | "reclaimAfterSeconds"> = {},
): Promise<ReconciliationReport> {
  const startedAt = await readClock(db);
  const { ok: isOk, checks: found } = await findBrokenInvariants(db, options);
  const checks = found.map(({ id, title, ok, differing, differences }) => ({
    id,
    title,
    ok,
    count: differing,
    amount: differences.reduce((sum, { amount }) => sum + magnitude(amount ?? 0n), 0n).toString(),
    examples: differences.slice(0, EXAMPLES).map(({ organizationId, subject, expected, found }) => {
      const owner = organizationId === null ? "" : `${organizationId} `;
      return `${owner}${subject}: expected ${expected}, found ${found}`;
    }),
  }));
  const report = { startedAt, finishedAt: await readClock(db), isOk, checks };
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("reconciliation_reports")
      .values({ started_at: startedAt, finished_at: report.finishedAt, is_ok: isOk, report: { checks } })
      .execute();
    if (isOk) return;
    const broken = checks.filter(({ ok }) => !ok).map(({ id, count }) => ({ id, count }));
    await transaction
      .insertInto("outbox")
      .values({ organization_id: null, type: "reconciliation.failed", data: { broken } })
      .execute();
  });
  return report;
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

/** Requests a report from a worker. Any report that starts at or after the returned time satisfies the request. */
export async function requestReconciliation(transaction: TenantTransaction): Promise<Date> {
  await enqueueJob(transaction, "reconcile", {}, { key: "reconcile" });
  return readClock(transaction);
}

/** Returns the last report that started at or after the given time, or null. */
export async function findLastReport(
  transaction: TenantTransaction,
  since = new Date(0),
): Promise<ReconciliationReport | null> {
  const row = await transaction
    .selectFrom("reconciliation_reports")
    .selectAll()
    .where("started_at", ">=", since)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { checks } = row.report as { checks: readonly ReconciliationCheck[] };
  return { startedAt: row.started_at, finishedAt: row.finished_at, isOk: row.is_ok, checks };
}

/** Reads the database clock, because the clocks of the requester and the worker can differ. */
async function readClock(db: Database): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select date_trunc('milliseconds', clock_timestamp()) as at`.execute(db);
  return rows[0]?.at as Date;
}
