import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { Reconciliation } from "@tollgate/contracts/management/reconciliation.ts";
import { findLastReport } from "@tollgate/db/reconciliation/reports.ts";
import { operation, read } from "../../operation.ts";
import { describeReport } from "./describe-report.ts";

export const getReconciliation = operation({
  ...read,
  id: "getReconciliation",
  summary: "Get the last ledger verification report; one runs every night",
  tag: "admin",
  path: "/api/admin/reconciliation",
  auth: "administrator",
  scope: "administrator",
  answers: { 200: { description: "The verification report", schema: Reconciliation } },
  handle: async (_input, transaction) => {
    const report = await findLastReport(transaction);
    if (report === null) throw unknownObject("report", "Create one with POST.");
    return { status: 200, body: describeReport(report) };
  },
});
