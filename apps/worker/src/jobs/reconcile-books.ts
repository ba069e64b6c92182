import { reconcile } from "@tollgate/db/reconciliation/reports.ts";
import type { JobContext } from "./job-context.ts";

/** Proves the books and keeps the report. What is broken is told, loudly, and left as it is. */
export async function reconcileLedger({ patientDb, verify, logger }: JobContext): Promise<void> {
  const { isOk, checks } = await reconcile(patientDb, verify);
  if (isOk) return;
  const broken = checks.filter(({ ok }) => !ok).map(({ id, count }) => `${id} (${count})`);
  logger.error(`ledger verification failed: ${broken.join(", ")}. See GET /api/admin/reconciliation`);
}
