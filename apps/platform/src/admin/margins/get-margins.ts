import { MarginQuery, type Margins, Margins as MarginsSchema } from "@tollgate/contracts/management/margin.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { type MarginSums, sumMargins } from "@tollgate/db/usage/sum-margins.ts";
import { operation, read } from "../../operation.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** Returns revenue, provider cost, and gross margin of all organizations. */
export const getMargins = operation({
  ...read,
  id: "getMargins",
  summary: "Get the gross margin by model, provider, organization, or day",
  tag: "admin",
  path: "/api/admin/margins",
  auth: "administrator",
  // The report connections are separate, so that long reports don't delay quick queries.
  scope: "own",
  query: MarginQuery,
  answers: { 200: { description: "Sums of the period", schema: MarginsSchema } },
  handle: async ({ query, caller }, { reportDb, now }) => {
    const range = readTimeRange(query);
    const to = range.until ?? now();
    const from = range.from ?? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS);
    const { groupBy: grouping = "model" } = query;
    const { groups, totals } = await runAsAdministrator(
      reportDb,
      (transaction) => sumMargins(transaction, { from, to, grouping }),
      caller.userId,
    );
    const body: Margins = {
      startDate: from,
      endDate: to,
      groupBy: grouping,
      data: groups.map((one) => ({ group: one.group, name: one.name, ...describeSums(one) })),
      totals: describeSums(totals),
    };
    return { status: 200, body };
  },
});

function describeSums({ requests, revenue, margin }: MarginSums) {
  const amounts = { revenue, providerCost: revenue - margin, margin };
  return { requests, ...amounts, usd: usdOf(amounts) };
}
