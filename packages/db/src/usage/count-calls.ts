import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf, QUARTER_MS, whereRefusedSums, whereSums } from "./call-filter.ts";
import { DAY_MS, findSumParts, startOf, type TimeRange } from "./sum-parts.ts";

/** A time range and its number of rows of matching calls, or an upper bound if the rollups don't have the exact number. */
export interface CountedRange extends TimeRange {
  readonly calls: number;
}

/** A sort measure whose maximum is stored in the rollups. */
export type Measure = "cost" | "latency_ms" | "tokens";

/**
 * Returns the days in the time range that may have matching calls, latest first. The range must start and end on a
 * 15-minute boundary.
 */
export async function countByDay(
  transaction: TenantTransaction,
  filter: CallFilter,
  time: TimeRange,
): Promise<CountedRange[]> {
  const { days, gaps } = await findSumParts(transaction, filter.organizationId, time);
  const { settledRows, unsettledRows, countsSettled, countsUnsettled } = countingOf(filter);
  const parts: RawBuilder<unknown>[] = [];
  if (countsSettled) {
    parts.push(sql`
      select day, ${settledRows} as calls from usage_days where ${whereSums(filter)} and day = any (${days}::date[])`);
    parts.push(
      ...gaps.map(
        (gap) => sql`
      select (bucket_at at time zone 'UTC')::date, ${settledRows} from usage_rollups where ${whereSums(filter)} and ${inside(gap)}`,
      ),
    );
  }
  if (countsUnsettled) {
    parts.push(sql`
      select (bucket_at at time zone 'UTC')::date, ${unsettledRows} from refused_rollups
       where ${whereRefusedSums(filter)} and ${inside(time)}`);
  }
  if (parts.length === 0) return [];
  const { rows } = await sql<{ day: string; calls: number }>`
    select day::text, sum(calls)::float8 as calls from (${sql.join(parts, sql` union all `)}) as counted (day, calls)
     group by day having sum(calls) > 0 order by day desc`.execute(transaction);
  return rows.map(({ day, calls }) => ({
    calls,
    fromMs: Math.max(time.fromMs, startOf(day)),
    toMs: Math.min(time.toMs, startOf(day) + DAY_MS),
  }));
}

/** Returns the 15-minute buckets in the time range that may have matching calls, latest first. */
export async function countByQuarter(
  transaction: TenantTransaction,
  filter: CallFilter,
  time: TimeRange,
): Promise<CountedRange[]> {
  const quarters = await listQuarters(transaction, filter, time, null);
  return quarters.map(({ fromMs, toMs, calls }) => ({ fromMs, toMs, calls }));
}

/** Like `countByQuarter`, but includes the maximum of the measure in each bucket and sorts by it, largest first. */
export function rankQuarters(
  transaction: TenantTransaction,
  filter: CallFilter,
  time: TimeRange,
  measure: Measure,
): Promise<(CountedRange & { readonly most: number })[]> {
  return listQuarters(transaction, filter, time, measure);
}

async function listQuarters(
  transaction: TenantTransaction,
  filter: CallFilter,
  time: TimeRange,
  measure: Measure | null,
): Promise<(CountedRange & { readonly most: number })[]> {
  const { settledRows, unsettledRows, countsSettled, countsUnsettled } = countingOf(filter);
  const most = measure === null ? sql`0` : sql.ref(`max_${measure}`);
  const parts: RawBuilder<unknown>[] = [];
  if (countsSettled) {
    parts.push(sql`
      select bucket_at, ${settledRows}, ${most} from usage_rollups where ${whereSums(filter)} and ${inside(time)}`);
  }
  if (countsUnsettled) {
    parts.push(sql`
      select bucket_at, ${unsettledRows}, 0 from refused_rollups where ${whereRefusedSums(filter)} and ${inside(time)}`);
  }
  if (parts.length === 0) return [];
  const { rows } = await sql<{ at: number; calls: number; most: number }>`
    select extract(epoch from at)::float8 * 1000 as at, sum(calls)::float8 as calls, max(most)::float8 as most
      from (${sql.join(parts, sql` union all `)}) as counted (at, calls, most)
     group by counted.at having sum(calls) > 0
     order by ${measure === null ? sql`counted.at desc` : sql`3 desc, counted.at desc`}`.execute(transaction);
  return rows.map(({ at, calls, most }) => ({ fromMs: at, toMs: at + QUARTER_MS, calls, most }));
}

function inside({ fromMs, toMs }: TimeRange): RawBuilder<boolean> {
  return sql`bucket_at >= ${new Date(fromMs)} and bucket_at < ${new Date(toMs)}`;
}
