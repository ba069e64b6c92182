import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { readTimeZone } from "@tollgate/contracts/management/time-zone.ts";
import { UsageQuery, UsageReport } from "@tollgate/contracts/management/usage.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import { findKeysOf, readKnownUntil } from "@tollgate/db/usage/report-scope.ts";
import { MAX_SUMMED_ROWS } from "@tollgate/db/usage/row-sources.ts";
import { type Grouping, sumUsage, type UsageSummary, type UsageSums } from "@tollgate/db/usage/sum-usage.ts";
import { previousRange } from "@tollgate/domain/figures/previous-range.ts";
import { operation, read } from "../operation.ts";
import { hideOlder, type ReportRange, readRange, toQuarters } from "./report-range.ts";
import { filterOf, runReport } from "./report-scope.ts";

const MAX_GROUPS = 10_000;
const unknownToSums = [
  "class",
  "endpoint",
  "requestId",
  "session",
  "minCost",
  "errorCode",
  "deploymentId",
  "stream",
  "cached",
  "minLatencyMs",
  "search",
] as const;

/**
 * Returns usage totals, by day unless the query specifies otherwise. Rollups are kept longer than calls, so log
 * retention doesn't limit the range.
 */
export const getUsage = operation({
  ...read,
  id: "getUsage",
  summary: "Get usage and cost totals",
  tag: "usage",
  path: "/api/gw/usage",
  auth: "user",
  scope: "own",
  query: UsageQuery,
  answers: { 200: { description: "Totals per group and overall", schema: UsageReport } },
  handle: async ({ caller, query }, services) => {
    const refused = unknownToSums.find((name) => query[name] !== undefined);
    if (refused !== undefined) {
      throw invalidField(
        refused,
        "cannot filter totals; filter by team, key, model, or provider, or use GET /api/gw/logs",
      );
    }
    const groupings = [...new Set(query.groupBy ?? (["day"] as const))];
    if (groupings.length < 1 || groupings.length > 2) throw invalidField("groupBy", "must have one or two groupings");
    const chosenZone = query.timezone === undefined ? null : readTimeZone("timezone", query.timezone);
    const body = await runReport(caller, services, async (transaction, scope) => {
      const timezone = chosenZone ?? scope.timezone;
      const range = toQuarters(readRange(query, services.now(), timezone));
      if (groupings.some((grouping) => grouping === "endpoint" || grouping === "session")) {
        checkRowsExist(range, scope.retentionDays, services.now());
      }
      const filter = await filterOf(transaction, scope, range, query);
      const narrowed = query.userId === undefined ? filter : await byMaker(transaction, filter, query.userId);
      const { groups, totals } = await sum(transaction, narrowed, groupings, timezone);
      const before = previousRange(range, timezone);
      const dataUntil = await readKnownUntil(transaction);
      return {
        data: groups.map(({ group, ...sums }) => ({
          group: Object.fromEntries(groupings.map((grouping, index) => [grouping, group[index] ?? ""])),
          ...(group.includes(null) && { isOther: true }),
          ...describe(sums),
        })),
        totals: describe(totals),
        ...(query.compare !== undefined && {
          previous: {
            totals: describe((await sum(transaction, { ...narrowed, ...before }, ["model"], timezone)).totals),
            startDate: before.from,
            endDate: before.to,
          },
        }),
        meta: { startDate: range.from, endDate: range.to, timezone, dataUntil },
      };
    });
    return { status: 200, body };
  },
});

/** Refuses a range with rows that are no longer visible, because their requests would be missing in the sums. */
function checkRowsExist(range: ReportRange, days: number, now: Date): void {
  const { from } = hideOlder(range, days, now);
  if (from <= range.from) return;
  throw invalidField("startDate", `must not be before ${from.toISOString()} if groupBy contains endpoint or session`);
}

async function sum(
  transaction: TenantTransaction,
  filter: CallFilter,
  groupings: readonly Grouping[],
  timezone: string,
): Promise<Extract<UsageSummary, { kind: "summary" }>> {
  const summary = await sumUsage(transaction, filter, { groupings, timezone, mostGroups: MAX_GROUPS });
  if (summary.kind === "summary") return summary;
  if (summary.kind === "too_many_rows") {
    throw invalidField(
      "groupBy",
      `by endpoint or session sums at most ${MAX_SUMMED_ROWS} requests; narrow the dates or filters`,
    );
  }
  throw invalidField("groupBy", `produces more than ${MAX_GROUPS} groups; narrow the dates or filters`);
}

/** Limits a filter to the keys that these users created, because rollups have keys but no users. */
async function byMaker(
  transaction: TenantTransaction,
  filter: CallFilter,
  userIds: readonly number[],
): Promise<CallFilter> {
  const made = await findKeysOf(transaction, filter.organizationId, userIds);
  return { ...filter, keyIds: filter.keyIds === null ? made : filter.keyIds.filter((id) => made.includes(id)) };
}

function describe(sums: UsageSums) {
  const { cost, cacheSaved } = sums;
  const succeeded = BigInt(sums.succeeded);
  const avgCost = succeeded === 0n ? 0n : (2n * cost + succeeded) / (2n * succeeded);
  return { ...sums, avgCost, usd: usdOf({ cost, avgCost, cacheSaved }) };
}
