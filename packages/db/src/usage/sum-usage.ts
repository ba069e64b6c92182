import {
  addCounts,
  type ClassCounts,
  errorRate,
  REQUEST_CLASSES,
  requestsOf,
} from "@tollgate/domain/figures/request-class.ts";
import { type LocalMark, listLocalDays, listLocalHours } from "@tollgate/domain/local-time.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { cacheHitRate } from "@tollgate/domain/pricing/cache-savings.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf } from "./call-filter.ts";
import { LATENCY_STEPS, percentileOf } from "./latency-steps.ts";
import { findTopNames, hasTooManyRows, type RowGrouping, rowNames, rowSourcesOf } from "./row-sources.ts";
import { type SumColumns, sourcesOf } from "./sum-sources.ts";

export type Grouping = "day" | "hour" | "model" | "provider" | "team" | "apiKey" | RowGrouping;

export interface UsageSums extends ClassCounts {
  /** The sum of the five classes. */
  readonly requests: number;
  readonly errorRate: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly cost: NanoUsd;
  /** Share of input tokens that were read from a provider's cache; null without input. */
  readonly cacheHitRate: number | null;
  /** Money that the providers' caches saved; negative if they were written but not read. */
  readonly cacheSaved: NanoUsd;
  readonly p50LatencyMs: number | null;
  readonly p95LatencyMs: number | null;
  readonly p99LatencyMs: number | null;
}

interface GroupSums extends UsageSums {
  /** Values of the groupings, in order; null for all endpoints or sessions but those with the highest cost. */
  readonly group: readonly (string | null)[];
}

export type UsageSummary =
  | { readonly kind: "summary"; readonly groups: readonly GroupSums[]; readonly totals: UsageSums }
  | { readonly kind: "too_many_groups" }
  /** The time range has too many requests to sum them by endpoint or session. */
  | { readonly kind: "too_many_rows" };

interface SumRequest {
  readonly groupings: readonly Grouping[];
  /** Time zone of the days and hours. */
  readonly timezone: string;
  readonly mostGroups: number;
}

const steps = Array.from({ length: LATENCY_STEPS }, (_, step) => `latency_${step}`);
const summed = ["cost", "cache_saved", "output_tokens", "cache_read_tokens", "reasoning_tokens", ...steps];

/** Maximum number of endpoints and of sessions that are groups of their own. All others are one group. */
const MAX_ROW_GROUPS = 50;

interface SumRow extends ClassCounts {
  readonly group: (string | null)[];
  readonly prompt_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost: bigint;
  readonly cache_saved: bigint;
  readonly slowest_ms: number;
  readonly latencies: number[];
}

/**
 * Sums the matching calls by these groupings. The time range must start and end on a 15-minute boundary. Groupings that
 * the rollups don't have sum the rows instead, with the same result.
 */
export async function sumUsage(
  transaction: TenantTransaction,
  filter: CallFilter,
  { groupings, timezone, mostGroups }: SumRequest,
): Promise<UsageSummary> {
  const marks = groupings.map((grouping) => marksOf(grouping, timezone, filter));
  const byRow = groupings.filter(isRowGrouping);
  if (byRow.length > 0 && (await hasTooManyRows(transaction, filter))) return { kind: "too_many_rows" };
  const top = new Map<Grouping, readonly string[]>();
  for (const grouping of byRow) {
    top.set(grouping, await findTopNames(transaction, filter, grouping, MAX_ROW_GROUPS));
  }
  const groupsOf = (at: RawBuilder<Date>, provider: RawBuilder<string>) =>
    sql.join(
      groupings.map((grouping, index) =>
        isRowGrouping(grouping)
          ? topOf(grouping, top.get(grouping) ?? [], index)
          : groupOf(grouping, marks[index] ?? [], { at, provider }, index),
      ),
    );
  const { settledCounts, unsettledCounts, countsUnsettled } = countingOf(filter);
  const columns: SumColumns = {
    settled: (
      at,
    ) => sql`${groupsOf(at, sql`provider`)}, ${settledCounts}, ${sql.join(summed.map((column) => sql.ref(column)))},
      input_tokens + cache_read_tokens + cache_write_tokens as prompt_tokens, max_latency_ms`,
    // Requests without a usage event have no provider. Grouped by provider, they are a group with an empty name, so
    // that totals are the same for every grouping.
    refused: countsUnsettled
      ? (at) => sql`${groupsOf(at, sql`''`)}, ${unsettledCounts},
          ${sql.join(summed.map((column) => sql`0 as ${sql.ref(column)}`))}, 0 as prompt_tokens, 0 as max_latency_ms`
      : null,
  };
  const cuts = marks.flatMap((list) => list.map(({ atMs }) => atMs));
  const sources =
    byRow.length > 0 ? rowSourcesOf(filter, columns) : await sourcesOf(transaction, filter, cuts, columns);
  const names = groupings.map((_, index) => sql.ref(`group_${index}`));
  const { rows } = await sql<SumRow>`
    select array[${sql.join(names.map((name) => sql`${name}::text`))}] as "group",
           ${sql.join(REQUEST_CLASSES.map((name) => sql`sum(${sql.ref(name)})::float8 as ${sql.ref(name)}`))},
           sum(prompt_tokens)::float8 as prompt_tokens, sum(output_tokens)::float8 as output_tokens,
           sum(cache_read_tokens)::float8 as cache_read_tokens, sum(reasoning_tokens)::float8 as reasoning_tokens,
           sum(cost)::bigint as cost, sum(cache_saved)::bigint as cache_saved, max(max_latency_ms) as slowest_ms,
           array[${sql.join(steps.map((step) => sql`sum(${sql.ref(step)})`))}]::float8[] as latencies
      from (${sources}) as sums
     group by ${sql.join(names)}
     order by ${sql.join(names)}
     limit ${mostGroups + 1}`.execute(transaction);
  if (rows.length > mostGroups) return { kind: "too_many_groups" };
  const groups = rows.map((row) => ({
    group: row.group.map((value, index) => marks[index]?.[Number(value) - 1]?.label ?? value),
    ...toSums(row),
  }));
  return { kind: "summary", groups, totals: addUp(rows) };
}

/** Returns the start times of the groups, or an empty list if the grouping is not by time. */
function marksOf(grouping: Grouping, timezone: string, { from, to }: CallFilter): readonly LocalMark[] {
  if (grouping === "day") return listLocalDays(timezone, from.getTime(), to.getTime());
  return grouping === "hour" ? listLocalHours(timezone, from.getTime(), to.getTime()) : [];
}

function isRowGrouping(grouping: Grouping): grouping is RowGrouping {
  return grouping === "endpoint" || grouping === "session";
}

/** Returns the group expression for a row: its name if it is among the first ones, and otherwise null. */
function topOf(grouping: RowGrouping, names: readonly string[], index: number): RawBuilder<unknown> {
  const name = rowNames[grouping];
  return sql`case when ${name} = any (${[...names]}::text[]) then ${name} end as ${sql.ref(`group_${index}`)}`;
}

/**
 * Returns the group expression for a rollup row that starts at the given time. Times are grouped by index, which is
 * faster than by text.
 */
function groupOf(
  grouping: Exclude<Grouping, RowGrouping>,
  marks: readonly LocalMark[],
  { at, provider }: { readonly at: RawBuilder<Date>; readonly provider: RawBuilder<string> },
  index: number,
): RawBuilder<unknown> {
  const name = sql.ref(`group_${index}`);
  switch (grouping) {
    case "day":
    case "hour":
      return sql`width_bucket(${at}, ${marks.map(({ atMs }) => new Date(atMs))}::timestamptz[]) as ${name}`;
    case "model":
      return sql`model_group as ${name}`;
    case "provider":
      return sql`${provider} as ${name}`;
    case "team":
      return sql`team_id as ${name}`;
    case "apiKey":
      return sql`key_id as ${name}`;
  }
}

function toSums(row: SumRow): UsageSums {
  const { succeeded, failed, refused, rejected, canceled } = row;
  return {
    requests: requestsOf(row),
    ...{ succeeded, failed, refused, rejected, canceled },
    errorRate: errorRate(row),
    promptTokens: row.prompt_tokens,
    completionTokens: row.output_tokens,
    cachedTokens: row.cache_read_tokens,
    reasoningTokens: row.reasoning_tokens,
    cost: row.cost,
    cacheHitRate: cacheHitRate(row.cache_read_tokens, row.prompt_tokens),
    cacheSaved: row.cache_saved,
    p50LatencyMs: percentileOf(row.latencies, 0.5, row.slowest_ms),
    p95LatencyMs: percentileOf(row.latencies, 0.95, row.slowest_ms),
    p99LatencyMs: percentileOf(row.latencies, 0.99, row.slowest_ms),
  };
}

function addUp(rows: readonly SumRow[]): UsageSums {
  const sum = (pick: (row: SumRow) => number) => rows.reduce((total, row) => total + pick(row), 0);
  return toSums({
    group: [],
    ...addCounts(rows),
    prompt_tokens: sum((row) => row.prompt_tokens),
    output_tokens: sum((row) => row.output_tokens),
    cache_read_tokens: sum((row) => row.cache_read_tokens),
    reasoning_tokens: sum((row) => row.reasoning_tokens),
    cost: rows.reduce((total, { cost }) => total + cost, 0n),
    cache_saved: rows.reduce((total, row) => total + row.cache_saved, 0n),
    slowest_ms: Math.max(0, ...rows.map((row) => row.slowest_ms)),
    latencies: steps.map((_, step) => sum(({ latencies }) => latencies[step] ?? 0)),
  });
}
