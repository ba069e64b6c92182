import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, whereSums } from "./call-filter.ts";
import { LATENCY_STEPS, percentileOf } from "./latency-steps.ts";
import { DAY_MS, findSumParts, joinNeighbours, type Stretch, type SumParts, startOf } from "./sum-parts.ts";

export type Grouping = "day" | "hour" | "model" | "provider" | "team" | "apiKey";

export interface UsageSums {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cost: NanoUsd;
  readonly p50LatencyMs: number | null;
  readonly p95LatencyMs: number | null;
}

export interface GroupSums extends UsageSums {
  /** Values of the groupings, in their order. */
  readonly group: readonly string[];
}

export type UsageSummary =
  | { readonly kind: "summary"; readonly groups: readonly GroupSums[]; readonly totals: UsageSums }
  | { readonly kind: "too_many_groups" };

const steps = Array.from({ length: LATENCY_STEPS }, (_, step) => `latency_${step}`);
const summed = ["requests", "errors", "cost", "output_tokens", ...steps];

interface SumRow {
  readonly group: string[];
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly output_tokens: number;
  readonly cost: bigint;
  readonly slowest_ms: number;
  readonly latencies: number[];
}

/** What the matching calls sum up to, by these groupings. The time must begin and end with a quarter of an hour. */
export async function sumUsage(
  transaction: TenantTransaction,
  filter: CallFilter,
  groupings: readonly Grouping[],
  mostGroups: number,
): Promise<UsageSummary> {
  const time = { fromMs: filter.from.getTime(), toMs: filter.to.getTime() };
  const parts = await findSumParts(transaction, filter.organizationId, time);
  const group = sql`array[${sql.join(groupings.map((grouping, index) => textOf(grouping, sql.ref(`group_${index}`))))}]`;
  const { rows } = await sql<SumRow>`
    select ${group} as "group", sum(requests)::float8 as requests, sum(errors)::float8 as errors,
           sum(prompt_tokens)::float8 as prompt_tokens, sum(output_tokens)::float8 as output_tokens,
           sum(cost)::bigint as cost, max(max_latency_ms) as slowest_ms,
           array[${sql.join(steps.map((step) => sql`sum(${sql.ref(step)})`))}]::float8[] as latencies
      from (${sumsOf(filter, groupings, parts)}) as sums
     group by ${sql.join(groupings.map((_, index) => sql.ref(`group_${index}`)))}
     order by 1
     limit ${mostGroups + 1}`.execute(transaction);
  if (rows.length > mostGroups) return { kind: "too_many_groups" };
  return { kind: "summary", groups: rows.map((row) => ({ group: row.group, ...toSums(row) })), totals: addUp(rows) };
}

function sumsOf(filter: CallFilter, groupings: readonly Grouping[], { days, gaps }: SumParts): RawBuilder<unknown> {
  const columns = sql`${sql.join(summed.map((column) => sql.ref(column)))},
    input_tokens + cache_read_tokens + cache_write_tokens as prompt_tokens, max_latency_ms`;
  const groups = (at: RawBuilder<Date> | null) =>
    sql.join(groupings.map((grouping, index) => sql`${groupOf(grouping, at)} as ${sql.ref(`group_${index}`)}`));
  return sql.join(
    [
      // Whole days tell nothing of their hours.
      groupings.includes("hour")
        ? sql`select ${groups(sql`hour_at`)}, ${columns} from usage_hours where ${whereSums(filter)} and ${hoursOf(days)}`
        : sql`select ${groups(null)}, ${columns} from usage_days where ${whereSums(filter)} and day = any (${days}::date[])`,
      ...gaps.map(
        ({ fromMs, toMs }) => sql`
          select ${groups(sql`bucket_at`)}, ${columns} from usage_rollups
           where ${whereSums(filter)} and bucket_at >= ${new Date(fromMs)} and bucket_at < ${new Date(toMs)}`,
      ),
    ],
    sql` union all `,
  );
}

/** The hours of days that follow each other without a gap most of the time. */
function hoursOf(days: readonly string[]): RawBuilder<boolean> {
  const runs = joinNeighbours(days.map((day) => ({ fromMs: startOf(day), toMs: startOf(day) + DAY_MS })));
  if (runs.length === 0) return sql`false`;
  const inRun = ({ fromMs, toMs }: Stretch) => sql`(hour_at >= ${new Date(fromMs)} and hour_at < ${new Date(toMs)})`;
  return sql`(${sql.join(runs.map(inRun), sql` or `)})`;
}

/** Of a row of sums that begins at that time; of a whole day when there is none. As times, which group faster than text. */
function groupOf(grouping: Grouping, at: RawBuilder<Date> | null): RawBuilder<unknown> {
  switch (grouping) {
    case "day":
      return at === null ? sql`day` : sql`(${at} at time zone 'UTC')::date`;
    case "hour":
      return at === null ? sql`day::timestamptz` : sql`date_bin('1 hour', ${at}, 'epoch')`;
    case "model":
      return sql`model_group`;
    case "provider":
      return sql`provider`;
    case "team":
      return sql`team_id`;
    case "apiKey":
      return sql`key_id`;
  }
}

function textOf(grouping: Grouping, group: RawBuilder<unknown>): RawBuilder<unknown> {
  if (grouping === "day") return sql`to_char(${group}, 'YYYY-MM-DD')`;
  return grouping === "hour" ? sql`to_char(${group} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000"Z"')` : group;
}

function toSums(row: SumRow): UsageSums {
  return {
    requests: row.requests,
    errors: row.errors,
    promptTokens: row.prompt_tokens,
    completionTokens: row.output_tokens,
    cost: row.cost,
    p50LatencyMs: percentileOf(row.latencies, 0.5, row.slowest_ms),
    p95LatencyMs: percentileOf(row.latencies, 0.95, row.slowest_ms),
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
    cost: rows.reduce((total, { cost }) => total + cost, 0n),
    slowest_ms: Math.max(0, ...rows.map((row) => row.slowest_ms)),
    latencies: steps.map((_, step) => sum(({ latencies }) => latencies[step] ?? 0)),
  });
}
