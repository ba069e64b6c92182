import type { ClassCounts } from "@tollgate/domain/figures/request-class.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { LATENCY_STEPS, percentileOf } from "./latency-steps.ts";
import { type CallSample, type LastFailure, readLastFailures, readSample, type SampledTime } from "./sample-calls.ts";
import { DAY_MS, findSumParts, joinAdjacent, type SumParts, startOf, type TimeRange } from "./sum-parts.ts";

/** Scope of a performance report. */
interface PerformanceScope {
  /** Null for every organization, which requires an administrator's transaction. */
  readonly organizationId: string | null;
  /** Null for every team. */
  readonly teamIds: readonly string[] | null;
  /** The start is inclusive and the end exclusive. Both are on a cell boundary. */
  readonly time: TimeRange;
  readonly cellMs: number;
  /** Calls before this time are counted but not read. */
  readonly shownFromMs: number;
}

/** Number of requests with a usage event in each class. Requests without one say nothing about a provider. */
type SettledCounts = Omit<ClassCounts, "refused">;

/** Performance of one model group at one provider. */
export interface PairPerformance extends SettledCounts {
  readonly model: string;
  /** Empty if no provider was called. */
  readonly provider: string;
  readonly p50LatencyMs: number | null;
  readonly p95LatencyMs: number | null;
  /** One entry per cell that has calls. */
  readonly cells: readonly (SettledCounts & { readonly atMs: number })[];
  /** Metrics from the latest calls; null if no call could be read. */
  readonly sample: CallSample | null;
  readonly lastFailure: LastFailure | null;
}

const MAX_PAIRS = 200;
/** Maximum number of pairs without a recent call that are sampled individually. */
const MAX_RARE_PAIRS = 50;
const SAMPLED_CALLS = 5_000;
const SAMPLED_FOR_RARE = 2_000;
const HOUR_MS = 3_600_000;

const steps = Array.from({ length: LATENCY_STEPS }, (_, step) => sql.ref(`latency_${step}`));

interface PairRow extends SettledCounts {
  readonly model: string;
  readonly provider: string;
  readonly slowest_ms: number;
  readonly latencies: number[];
}

interface CellRow extends SettledCounts {
  readonly model: string;
  readonly provider: string;
  readonly at: Date;
}

const countColumns = sql`sum(requests - errors - canceled)::float8 as succeeded, sum(errors - rejected)::float8 as failed,
  sum(rejected)::float8 as rejected, sum(canceled)::float8 as canceled`;

/**
 * Returns the performance of each model group at each provider: totals of all calls, and metrics from a sample of the
 * latest calls.
 */
export async function readPerformance(
  transaction: TenantTransaction,
  scope: PerformanceScope,
): Promise<PairPerformance[]> {
  const pairs = await sumPairs(transaction, scope);
  const samples = await readSample(transaction, scope, latestTimes(pairs, scope));
  const found = new Map(samples.map((sample) => [nameOf(sample), sample]));
  const rare = pairs.filter((pair) => !found.has(nameOf(pair))).slice(0, MAX_RARE_PAIRS);
  const rareTimes = rare.flatMap((pair) => lastTimeOf(pair, scope));
  for (const sample of await readSample(transaction, scope, rareTimes)) found.set(nameOf(sample), sample);
  const failures = pairs.some(({ failed }) => failed > 0) ? await readLastFailures(transaction, scope) : [];
  return pairs.map((pair) => ({
    ...pair,
    sample: found.get(nameOf(pair)) ?? null,
    lastFailure: failures.find((failure) => nameOf(failure) === nameOf(pair)) ?? null,
  }));
}

type SummedPair = Omit<PairPerformance, "sample" | "lastFailure">;

/**
 * Sums latencies over daily rollups where they exist, because there are a tenth as many daily rows as hourly rows. Only
 * counts are read per cell.
 */
async function sumPairs(transaction: TenantTransaction, scope: PerformanceScope): Promise<SummedPair[]> {
  const { organizationId, time, cellMs } = scope;
  const usesSums = organizationId !== null && cellMs % HOUR_MS === 0;
  const parts = usesSums ? await findSumParts(transaction, organizationId, time) : { days: [], gaps: [time] };
  const pairs = await sql<PairRow>`
    select model_group as model, provider, ${countColumns}, max(max_latency_ms) as slowest_ms,
           array[${sql.join(steps.map((step) => sql`sum(${step})`))}]::float8[] as latencies
      from (${sumsOf(scope, parts, "days")}) as sums
     group by 1, 2
     order by sum(requests) desc, 1, 2
     limit ${MAX_PAIRS}`.execute(transaction);
  const cells = await sql<CellRow>`
    select model_group as model, provider,
           date_bin(${cellMs} * interval '1 millisecond', at, ${new Date(time.fromMs)}) as at,
           ${countColumns}
      from (${sumsOf(scope, parts, "hours")}) as sums
     group by 1, 2, 3
     order by 3`.execute(transaction);
  const cellsOf = Map.groupBy(cells.rows, nameOf);
  return pairs.rows.map((pair) => toPair(pair, cellsOf.get(nameOf(pair)) ?? []));
}

/** Selects daily or hourly rollups, and 15-minute rollups for the remaining time. */
function sumsOf(scope: PerformanceScope, { days, gaps }: SumParts, kind: "days" | "hours"): RawBuilder<unknown> {
  const where = whereScope(scope);
  const columns = (at: string) =>
    kind === "days"
      ? sql`requests, errors, canceled, rejected, max_latency_ms, ${sql.join(steps)}`
      : sql`${sql.ref(at)} as at, requests, errors, canceled, rejected`;
  const read = (table: string, at: string) => (range: TimeRange) =>
    sql`
    select model_group, provider, ${columns(at)} from ${sql.table(table)}
     where ${where} and ${sql.ref(at)} >= ${new Date(range.fromMs)} and ${sql.ref(at)} < ${new Date(range.toMs)}`;
  const whole = sql`
    select model_group, provider, ${columns("day")} from usage_days
     where ${where} and day = any (${days}::date[])`;
  const runs = joinAdjacent(days.map((day) => ({ fromMs: startOf(day), toMs: startOf(day) + DAY_MS })));
  const summed = kind === "days" ? [whole] : runs.map(read("usage_hours", "hour_at"));
  return sql.join(
    [...(days.length === 0 ? [] : summed), ...gaps.map(read("usage_rollups", "bucket_at"))],
    sql` union all `,
  );
}

const nameOf = (pair: { readonly model: string; readonly provider: string }): string =>
  `${pair.model}\n${pair.provider}`;

function whereScope({ organizationId, teamIds }: PerformanceScope): RawBuilder<unknown> {
  const organization = organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`;
  return teamIds === null ? organization : sql`${organization} and team_id = any (${teamIds}::text[])`;
}

function toPair({ latencies, slowest_ms: slowestMs, ...pair }: PairRow, cells: readonly CellRow[]): SummedPair {
  return {
    ...pair,
    p50LatencyMs: percentileOf(latencies, 0.5, slowestMs),
    p95LatencyMs: percentileOf(latencies, 0.95, slowestMs),
    cells: cells.map(({ at, succeeded, failed, rejected, canceled }) => ({
      atMs: at.getTime(),
      ...{ succeeded, failed, rejected, canceled },
    })),
  };
}

/** Returns the number of requests with a usage event. */
export function settledRequests({ succeeded, failed, rejected, canceled }: SettledCounts): number {
  return succeeded + failed + rejected + canceled;
}

/** Returns the latest cells that together contain enough calls for the sample, split by day. */
function latestTimes(pairs: readonly SummedPair[], scope: PerformanceScope): SampledTime[] {
  const { time, cellMs, shownFromMs } = scope;
  const counts = new Map<number, number>();
  for (const cell of pairs.flatMap(({ cells }) => cells)) {
    counts.set(cell.atMs, (counts.get(cell.atMs) ?? 0) + settledRequests(cell));
  }
  let [fromMs, counted] = [time.toMs, 0];
  for (const [atMs, requests] of [...counts].toSorted(([one], [other]) => other - one)) {
    if (counted >= SAMPLED_CALLS || atMs + cellMs <= shownFromMs) break;
    fromMs = Math.max(atMs, shownFromMs);
    counted += requests;
  }
  const days: TimeRange[] = [];
  for (let atMs = fromMs; atMs < time.toMs; atMs = days.at(-1)?.toMs as number) {
    days.push({ fromMs: atMs, toMs: Math.min(time.toMs, (Math.floor(atMs / DAY_MS) + 1) * DAY_MS) });
  }
  // For a reader limited to some teams, the scan also reads other teams' calls, which the rollups didn't count.
  const limit = scope.teamIds === null ? SAMPLED_CALLS : Math.ceil(SAMPLED_CALLS / Math.max(1, days.length));
  return days.map((day) => ({ ...day, pair: null, limit }));
}

/** Returns the cell that contains a pair's latest calls. A cell never crosses midnight. */
function lastTimeOf(pair: SummedPair, { cellMs, shownFromMs }: PerformanceScope): SampledTime[] {
  const last = pair.cells.at(-1);
  if (last === undefined || last.atMs + cellMs <= shownFromMs) return [];
  const fromMs = Math.max(last.atMs, shownFromMs);
  return [{ fromMs, toMs: last.atMs + cellMs, pair, limit: SAMPLED_FOR_RARE }];
}
