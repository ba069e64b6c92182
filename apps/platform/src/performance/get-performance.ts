import { Failure } from "@tollgate/contracts/failures.ts";
import { PerformanceQuery, PerformanceReport } from "@tollgate/contracts/management/performance.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { type PairPerformance, readPerformance } from "@tollgate/db/usage/read-performance.ts";
import { beginWideReport } from "@tollgate/db/usage/report-scope.ts";
import type { Caller } from "../caller.ts";
import { operation, read } from "../operation.ts";
import type { Services } from "../services.ts";
import { runReport } from "../usage/report-scope.ts";
import { describePair } from "./describe-pair.ts";
import { type PerformanceRange, rangeOf } from "./performance-range.ts";

const DAY_MS = 86_400_000;

/** Returns the recent performance of models and their providers. */
export const getPerformance = operation({
  ...read,
  id: "getPerformance",
  summary: "Get the latency and reliability of models",
  tag: "usage",
  path: "/api/gw/performance",
  auth: "user",
  scope: "own",
  query: PerformanceQuery,
  answers: { 200: { description: "Model groups and providers, busiest first", schema: PerformanceReport } },
  handle: async ({ caller, query }, services) => {
    const range = rangeOf(query.hours, services.now());
    const pairs = await (query.scope === "all"
      ? readEverywhere(caller, services, range)
      : readOrganization(caller, services, range));
    const meta = {
      startDate: new Date(range.time.fromMs),
      endDate: new Date(range.time.toMs),
      cellMinutes: range.cellMs / 60_000,
    };
    return { status: 200, body: { performance: pairs.map((pair) => describePair(pair, range)), meta } };
  },
});

/** Reads the performance for the teams that the caller can see. */
export function readOrganization(
  caller: Caller,
  services: Services,
  range: PerformanceRange,
): Promise<PairPerformance[]> {
  return runReport(caller, services, (transaction, { organizationId, teamIds, retentionDays }) => {
    const shownFromMs = services.now().getTime() - retentionDays * DAY_MS;
    return readPerformance(transaction, { organizationId, teamIds, shownFromMs, ...range });
  });
}

/** Reads the performance across all organizations, for administrators only. */
export function readEverywhere(
  caller: Caller,
  services: Services,
  range: PerformanceRange,
): Promise<PairPerformance[]> {
  if (caller.role !== "admin") {
    throw new Failure("ADMIN_REQUIRED", "Only administrators can view all organizations. Omit scope.");
  }
  const shownFromMs = services.now().getTime() - services.settings().usage.retentionDays * DAY_MS;
  return runAsAdministrator(services.reportDb, async (transaction) => {
    await beginWideReport(transaction);
    return readPerformance(transaction, { organizationId: null, teamIds: null, shownFromMs, ...range });
  });
}
