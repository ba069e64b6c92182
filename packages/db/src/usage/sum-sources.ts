import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, QUARTER_MS, whereRefusedSums, whereSums } from "./call-filter.ts";
import { DAY_MS, findSumParts, joinAdjacent, startOf, type TimeRange } from "./sum-parts.ts";

const HOUR_MS = 4 * QUARTER_MS;

/** Columns that a report selects from a rollup row, given the row's start time. */
export interface SumColumns {
  readonly settled: (at: RawBuilder<Date>) => RawBuilder<unknown>;
  /** Columns for the rollups of refused calls; null if refused calls are not requested. */
  readonly refused: ((at: RawBuilder<Date>) => RawBuilder<unknown>) | null;
}

/**
 * Selects the rollups of the filter's time range with as few rows as possible: a daily or hourly row replaces its
 * 15-minute rows unless a mark falls inside it. The range must start and end on a 15-minute boundary.
 */
export async function sourcesOf(
  transaction: TenantTransaction,
  filter: CallFilter,
  marks: readonly number[],
  columns: SumColumns,
): Promise<RawBuilder<unknown>> {
  const time = { fromMs: filter.from.getTime(), toMs: filter.to.getTime() };
  const inside = marks.filter((atMs) => atMs > time.fromMs && atMs < time.toMs);
  const cutsDays = inside.some((atMs) => atMs % DAY_MS !== 0);
  const { days, gaps } = await findSumParts(transaction, filter.organizationId, time);
  const where = whereSums(filter);
  const parts: RawBuilder<unknown>[] = gaps.map(
    (gap) =>
      sql`select ${columns.settled(sql`bucket_at`)} from usage_rollups where ${where} and ${within("bucket_at", gap)}`,
  );
  if (days.length > 0 && !cutsDays) {
    const at = sql<Date>`(day::timestamp at time zone 'UTC')`;
    parts.push(sql`select ${columns.settled(at)} from usage_days where ${where} and day = any (${days}::date[])`);
  }
  if (days.length > 0 && cutsDays) {
    const cut = [...new Set(inside.filter((atMs) => atMs % HOUR_MS !== 0).map((atMs) => atMs - (atMs % HOUR_MS)))];
    const runs = joinAdjacent(days.map((day) => ({ fromMs: startOf(day), toMs: startOf(day) + DAY_MS })));
    parts.push(...byHours(columns, where, runs, cut));
  }
  const { refused } = columns;
  if (refused !== null) {
    parts.push(sql`
      select ${refused(sql`bucket_at`)} from refused_rollups
       where ${whereRefusedSums(filter)} and ${within("bucket_at", time)}`);
  }
  return parts.length === 0
    ? sql`select ${columns.settled(sql`bucket_at`)} from usage_rollups where false`
    : sql.join(parts, sql` union all `);
}

/** Selects hourly rows for hours without a mark inside, and 15-minute rows for all other hours. */
function byHours(
  { settled }: SumColumns,
  where: RawBuilder<boolean>,
  runs: readonly TimeRange[],
  cut: readonly number[],
): RawBuilder<unknown>[] {
  const hours = runs.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / HOUR_MS, 0);
  // In time zones with a half-hour offset, an hourly report has a mark inside every hour.
  if (cut.length >= hours) {
    return [
      sql`select ${settled(sql`bucket_at`)} from usage_rollups where ${where} and ${withinAny("bucket_at", runs)}`,
    ];
  }
  const times = cut.map((atMs) => new Date(atMs));
  const whole = sql`
    select ${settled(sql`hour_at`)} from usage_hours
     where ${where} and ${withinAny("hour_at", runs)} and hour_at <> all (${times}::timestamptz[])`;
  if (cut.length === 0) return [whole];
  const quarters = times.flatMap((at) => [0, 1, 2, 3].map((index) => new Date(at.getTime() + index * QUARTER_MS)));
  return [
    whole,
    sql`
      select ${settled(sql`bucket_at`)} from usage_rollups
       where ${where} and bucket_at = any (${quarters}::timestamptz[]) and ${withinAny("bucket_at", runs)}`,
  ];
}

const withinAny = (column: string, runs: readonly TimeRange[]): RawBuilder<boolean> =>
  sql`(${sql.join(
    runs.map((run) => within(column, run)),
    sql` or `,
  )})`;

const within = (column: string, { fromMs, toMs }: TimeRange): RawBuilder<boolean> =>
  sql`(${sql.ref(column)} >= ${new Date(fromMs)} and ${sql.ref(column)} < ${new Date(toMs)})`;
