import { setTimeout as pause } from "node:timers/promises";
import { Reconciliation, ReconciliationPending } from "@tollgate/contracts/management/reconciliation.ts";
import { findLastReport, requestReconciliation } from "@tollgate/db/reconciliation/reports.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { operation, write } from "../../operation.ts";
import { describeReport } from "./describe-report.ts";

const WAIT_MS = 60_000;
const LOOK_EVERY_MS = 250;

/**
 * Verifies the ledger in a worker, because the verification reads the entire ledger. Waits a limited time for the
 * report.
 */
export const createReconciliation = operation({
  ...write,
  id: "createReconciliation",
  summary: "Verify the ledger now",
  tag: "admin",
  path: "/api/admin/reconciliation",
  auth: "administrator",
  scope: "own",
  idempotency: "none",
  timeoutMs: WAIT_MS + 10_000,
  answers: {
    200: { description: "The verification report", schema: Reconciliation },
    202: {
      description: "The verification is still running, or no worker is running; get the report later",
      schema: ReconciliationPending,
    },
  },
  handle: async ({ caller, signal }, { db }) => {
    const since = await runAsAdministrator(db, requestReconciliation, caller.userId);
    const waitUntilMs = performance.now() + WAIT_MS;
    while (performance.now() < waitUntilMs && !signal.aborted) {
      const report = await runAsAdministrator(db, (transaction) => findLastReport(transaction, since), caller.userId);
      if (report !== null) return { status: 200, body: describeReport(report) };
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
    return { status: 202, body: { status: "running" } };
  },
});
