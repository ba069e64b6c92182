import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export const DAY_MS = 86_400_000;

/** A time range in Unix milliseconds, start inclusive, end exclusive. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Sources for the totals of a time range: whole days with daily rollups, and the ranges between them. */
export interface SumParts {
  /** Days, formatted as `YYYY-MM-DD`. */
  readonly days: readonly string[];
  readonly gaps: readonly TimeRange[];
}

/**
 * Returns the whole days of a time range that have daily rollups, and the ranges between them. The range must start and
 * end on a 15-minute boundary.
 */
export async function findSumParts(
  transaction: TenantTransaction,
  organizationId: string | null,
  { fromMs, toMs }: TimeRange,
): Promise<SumParts> {
  if (fromMs >= toMs) return { days: [], gaps: [] };
  // Daily rollups can exist for one organization but not for another.
  if (organizationId === null) return { days: [], gaps: [{ fromMs, toMs }] };
  const firstDay = dayOf(Math.ceil(fromMs / DAY_MS) * DAY_MS);
  const { rows } = await sql<{ day: string }>`
    select distinct day::text from usage_days
     where organization_id = ${organizationId} and day >= ${firstDay}::date and day < ${dayOf(toMs)}::date
     order by 1`.execute(transaction);
  const days = rows.map(({ day }) => day);
  return { days, gaps: gapsBetween(days, { fromMs, toMs }) };
}

export const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

function gapsBetween(days: readonly string[], { fromMs, toMs }: TimeRange): TimeRange[] {
  const gaps: TimeRange[] = [];
  let reachedMs = fromMs;
  for (const day of days) {
    if (startOf(day) > reachedMs) gaps.push({ fromMs: reachedMs, toMs: startOf(day) });
    reachedMs = startOf(day) + DAY_MS;
  }
  if (reachedMs < toMs) gaps.push({ fromMs: reachedMs, toMs });
  return gaps;
}

/** Sorts time ranges and merges adjacent ones. */
export function joinAdjacent(ranges: readonly TimeRange[]): TimeRange[] {
  const joined: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of ranges.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = joined.at(-1);
    if (last?.toMs === fromMs) last.toMs = toMs;
    else joined.push({ fromMs, toMs });
  }
  return joined;
}
