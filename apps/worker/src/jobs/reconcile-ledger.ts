import { reconcile } from "@tollgate/db/reconciliation/reports.ts";
import type { JobContext } from "./job-context.ts";

/** Verifies the ledger and stores the report. Logs mismatches as errors, but never repairs them. */
export async function reconcileLedger({ patientDb, verify, logger }: JobContext): Promise<void> {
  const { isOk, checks } = await reconcile(patientDb, verify);
  if (isOk) return;
  const broken = checks.filter(({ ok }) => !ok).map(({ id, count }) => `${id} (${count})`);
  logger.error(`ledger verification failed: ${broken.join(", ")}. See GET /api/admin/reconciliation`);
}
