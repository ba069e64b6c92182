import type { ReconciliationReport } from "@tollgate/db/reconciliation/reports.ts";

/** A report as it is sent. */
export function describeReport({ isOk, checks, startedAt, finishedAt }: ReconciliationReport) {
  return { ok: isOk, checks, ranAt: startedAt, finishedAt };
}
