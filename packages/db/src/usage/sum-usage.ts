import { type LocalMark, listLocalDays, listLocalHours } from "@tollgate/domain/local-time.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { CallFilter } from "./call-filter.ts";
import { LATENCY_STEPS, percentileOf } from "./latency-steps.ts";
import { sourcesOf } from "./sum-sources.ts";

export type Grouping = "day" | "hour" | "model" | "provider" | "team" | "apiKey";

export interface UsageSums {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** Calls that never reached a model. Not included in `requests`. */
  readonly refused: number;
  readonly cost: NanoUsd;
  readonly p50LatencyMs: number | null;
  readonly p95LatencyMs: number | null;
  readonly p99LatencyMs: number | null;
}

interface GroupSums extends UsageSums {
  /** Values of the groupings, in order. */
  readonly group: readonly string[];
}

export type UsageSummary =
  | { readonly kind: "summary"; readonly groups: readonly GroupSums[]; readonly totals: UsageSums }
  | { readonly kind: "too_many_groups" };

interface SumRequest {
  readonly groupings: readonly Grouping[];
  /** Time zone of the days and hours. */
  readonly timezone: string;
  readonly mostGroups: number;
}

const steps = Array.from({ length: LATENCY_STEPS }, (_, step) => `latency_${step}`);
const summed = ["requests", "errors", "cost", "output_tokens", "cache_read_tokens", "reasoning_tokens", ...steps];

interface SumRow {
  readonly group: string[];
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly reasoning_tokens: number;
  readonly refused: number;
  readonly cost: bigint;
  readonly slowest_ms: number;
  readonly latencies: number[];
}

/** Sums the matching calls by these groupings. The time range must start and end on a 15-minute boundary. */
export async function sumUsage(
  transaction: TenantTransaction,
  filter: CallFilter,
  { groupings, timezone, mostGroups }: SumRequest,
): Promise<UsageSummary> {
  const marks = groupings.map((grouping) => marksOf(grouping, timezone, filter));
  const groupsOf = (at: RawBuilder<Date>) =>
    sql.join(groupings.map((grouping, index) => groupOf(grouping, marks[index] ?? [], at, index)));
  const knowsRefused = filter.providers === null && !groupings.includes("provider");
  const sources = await sourcesOf(
    transaction,
    filter,
    marks.flatMap((list) => list.map(({ atMs }) => atMs)),
    {
      settled: (at) => sql`${groupsOf(at)}, ${sql.join(summed.map((column) => sql.ref(column)))},
        input_tokens + cache_read_tokens + cache_write_tokens as prompt_tokens, max_latency_ms, 0::bigint as refused`,
      refused: knowsRefused
        ? (at) => sql`${groupsOf(at)}, ${sql.join(summed.map((column) => sql`0 as ${sql.ref(column)}`))},
            0 as prompt_tokens, 0 as max_latency_ms, requests as refused`
        : null,
    },
  );
  const names = groupings.map((_, index) => sql.ref(`group_${index}`));
  const { rows } = await sql<SumRow>`
    select array[${sql.join(names.map((name) => sql`${name}::text`))}] as "group",
           sum(requests)::float8 as requests, sum(errors)::float8 as errors,
           sum(prompt_tokens)::float8 as prompt_tokens, sum(output_tokens)::float8 as output_tokens,
           sum(cache_read_tokens)::float8 as cache_read_tokens, sum(reasoning_tokens)::float8 as reasoning_tokens,
           sum(refused)::float8 as refused, sum(cost)::bigint as cost, max(max_latency_ms) as slowest_ms,
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

/**
 * Returns the group expression for a rollup row that starts at the given time. Times are grouped by index, which is
 * faster than by text.
 */
function groupOf(
  grouping: Grouping,
  marks: readonly LocalMark[],
  at: RawBuilder<Date>,
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
      return sql`provider as ${name}`;
    case "team":
      return sql`team_id as ${name}`;
    case "apiKey":
      return sql`key_id as ${name}`;
  }
}

function toSums(row: SumRow): UsageSums {
  return {
    requests: row.requests,
    errors: row.errors,
    promptTokens: row.prompt_tokens,
    completionTokens: row.output_tokens,
    cachedTokens: row.cache_read_tokens,
    reasoningTokens: row.reasoning_tokens,
    refused: row.refused,
    cost: row.cost,
    p50LatencyMs: percentileOf(row.latencies, 0.5, row.slowest_ms),
    p95LatencyMs: percentileOf(row.latencies, 0.95, row.slowest_ms),
    p99LatencyMs: percentileOf(row.latencies, 0.99, row.slowest_ms),
  };
}

function addUp(rows: readonly SumRow[]): UsageSums {
  const sum = (pick: (row: SumRow) => number) => rows.reduce((total, row) => total + pick(row), 0);
  return toSums({
    group: [],
    requests: sum(({ requests }) => requests),
    errors: sum(({ errors }) => errors),
    prompt_tokens: sum((row) => row.prompt_tokens),
    output_tokens: sum((row) => row.output_tokens),
    cache_read_tokens: sum((row) => row.cache_read_tokens),
    reasoning_tokens: sum((row) => row.reasoning_tokens),
    refused: sum(({ refused }) => refused),
    cost: rows.reduce((total, { cost }) => total + cost, 0n),
    slowest_ms: Math.max(0, ...rows.map((row) => row.slowest_ms)),
    latencies: steps.map((_, step) => sum(({ latencies }) => latencies[step] ?? 0)),
  });
}
