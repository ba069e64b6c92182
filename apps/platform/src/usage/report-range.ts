import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { readTime, readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import { startOfLocalDay } from "@tollgate/domain/local-time.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * 60_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 92;
/** So many days are longer than usual when clocks are set back during them. */
const MAX_SHIFT_MS = 2 * 3_600_000;
/** Days after it have a year of five digits, which nothing that goes by days can read. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** A time from inclusive to exclusive. */
export interface ReportRange {
  readonly from: Date;
  readonly to: Date;
}

interface RangeQuery {
  readonly startDate?: string;
  readonly endDate?: string;
}

/**
 * The time a report is about: the last seven days unless told otherwise. A day as the end includes that day, a moment
 * does not include itself. Days are those of the zone.
 */
export function readRange(query: RangeQuery, now: Date, zone = "UTC"): ReportRange {
  const { from, until } = readTimeRange(zone === "UTC" ? query : toMoments(query, zone));
  const endMs = Math.min(LATEST_MS, Math.max(0, (until ?? now).getTime()));
  const startMs = Math.max(0, from?.getTime() ?? floorQuarter(endMs - DEFAULT_DAYS * DAY_MS));
  if (startMs > endMs) throw invalidField("startDate", "must not be after endDate");
  if (endMs - startMs > MAX_DAYS * DAY_MS + MAX_SHIFT_MS) {
    throw invalidField("startDate", `and endDate must be at most ${MAX_DAYS} days apart; choose a shorter range`);
  }
  // What has not ended yet goes on to the end of its quarter of an hour, up to which sums are kept.
  return { from: new Date(startMs), to: new Date(endMs >= now.getTime() ? ceilQuarter(endMs + 1) : endMs) };
}

/** The same with days as moments: the first of the start, and the end of the end. */
function toMoments({ startDate, endDate }: RangeQuery, zone: string): RangeQuery {
  const momentOf = (field: string, text: string, days: number) => {
    if (!DAY.test(text)) return text;
    const day = new Date(readTime(field, text).getTime() + days * DAY_MS).toISOString().slice(0, 10);
    return new Date(startOfLocalDay(zone, day)).toISOString();
  };
  return {
    ...(startDate !== undefined && { startDate: momentOf("startDate", startDate, 0) }),
    ...(endDate !== undefined && { endDate: momentOf("endDate", endDate, 1) }),
  };
}

/** Whole quarters of an hour around a range, which is how usage is summed up. */
export function toQuarters({ from, to }: ReportRange): ReportRange {
  return { from: new Date(floorQuarter(from.getTime())), to: new Date(ceilQuarter(to.getTime())) };
}

/** The part of a range that is shown: calls older than so many days are hidden, and nothing of a quarter that they end in. */
export function hideOlder({ from, to }: ReportRange, days: number, now: Date): ReportRange {
  const oldestMs = ceilQuarter(now.getTime() - days * DAY_MS);
  const fromMs = Math.max(from.getTime(), oldestMs);
  return { from: new Date(fromMs), to: new Date(Math.max(fromMs, to.getTime())) };
}

const floorQuarter = (atMs: number): number => Math.floor(atMs / QUARTER_MS) * QUARTER_MS;
const ceilQuarter = (atMs: number): number => Math.ceil(atMs / QUARTER_MS) * QUARTER_MS;
