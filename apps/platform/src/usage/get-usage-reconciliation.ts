import { Failure } from "@tollgate/contracts/failures.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { ReconciliationQuery, ReconciliationStrip } from "@tollgate/contracts/management/reconciliation-strip.ts";
import { compareCostSources } from "@tollgate/db/usage/compare-cost-sources.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { operation, read } from "../operation.ts";
import { readRange, toQuarters } from "./report-range.ts";
import { runReport } from "./report-scope.ts";

/** Timeout for the report, which reads one day at a time because a busy organization has many rows per month. */
const TIMEOUT_MS = 30_000;

/**
 * Returns the cost of calls according to the rollups, the usage events, and the ledger. A difference means that one of
 * these sources is wrong.
 */
export const getUsageReconciliation = operation({
  ...read,
  id: "getUsageReconciliation",
  summary: "Compare usage totals, requests, and ledger",
  tag: "usage",
  path: "/api/gw/usage/reconcile",
  auth: "user",
  scope: "own",
  timeoutMs: TIMEOUT_MS,
  query: ReconciliationQuery,
  answers: { 200: { description: "The three totals and their differences", schema: ReconciliationStrip } },
  handle: async ({ caller, query }, services) => {
    if (caller.organization?.role === "member") {
      throw new Failure("ROLE_REQUIRED", "Only an organization owner or admin can compare its ledger.");
    }
    const body = await runReport(caller, services, async (transaction, { organizationId, timezone }) => {
      const { from, to } = toQuarters(readRange(query, services.now(), timezone));
      const time = { fromMs: from.getTime(), toMs: to.getTime() };
      const { rollups, logs, ledger } = await compareCostSources(transaction, organizationId, time);
      const difference = spreadOf([rollups.cost, logs.cost, ledger.cost + logs.unbilled]);
      return {
        rollups: { ...rollups, usd: usdOf({ cost: rollups.cost }) },
        logs: { cost: logs.cost, rows: logs.rows, usd: usdOf({ cost: logs.cost }) },
        ledger: { ...ledger, usd: usdOf({ cost: ledger.cost }) },
        unbilled: logs.unbilled,
        difference,
        checkedAt: services.now(),
        meta: { startDate: from, endDate: to },
        usd: usdOf({ unbilled: logs.unbilled, difference }),
      };
    });
    return { status: 200, body };
  },
});

/** Returns the difference between the largest and the smallest cost. */
function spreadOf(costs: readonly NanoUsd[]): NanoUsd {
  const sorted = costs.toSorted((one, other) => (one < other ? -1 : 1));
  return (sorted.at(-1) ?? 0n) - (sorted[0] ?? 0n);
}
