import type { ReconciliationReport } from "@tollgate/db/reconciliation/reports.ts";

/** Converts a report to its API format. */
export function describeReport({ isOk, checks, startedAt, finishedAt }: ReconciliationReport) {
  return { ok: isOk, checks, ranAt: startedAt, finishedAt };
}
