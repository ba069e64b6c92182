import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { readTime, readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import { startOfLocalDay } from "@tollgate/domain/local-time.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * 60_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 92;
/** Tolerance for the maximum range, because a range gets longer if clocks are set back within it. */
const MAX_SHIFT_MS = 2 * 3_600_000;
/** Latest supported date. Later dates have a five-digit year, which date parsing doesn't support. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** A time range with an inclusive start and an exclusive end. */
export interface ReportRange {
  readonly from: Date;
  readonly to: Date;
}

interface RangeQuery {
  readonly startDate?: string;
  readonly endDate?: string;
}

/**
 * Returns the time range of a report, by default the last seven days. An end date includes that day, but an end
 * timestamp is exclusive. Days start at midnight in the given time zone.
 */
export function readRange(query: RangeQuery, now: Date, zone = "UTC"): ReportRange {
  const { from, until } = readTimeRange(zone === "UTC" ? query : toMoments(query, zone));
  const endMs = Math.min(LATEST_MS, Math.max(0, (until ?? now).getTime()));
  const startMs = Math.max(0, from?.getTime() ?? floorQuarter(endMs - DEFAULT_DAYS * DAY_MS));
  if (startMs > endMs) throw invalidField("startDate", "must not be after endDate");
  if (endMs - startMs > MAX_DAYS * DAY_MS + MAX_SHIFT_MS) {
    throw invalidField("startDate", `and endDate must be at most ${MAX_DAYS} days apart; choose a shorter range`);
  }
  // A range that ends now extends to the end of the current quarter hour, because rollups cover quarter hours. A later
  // end is exclusive, so a whole quarter hour stays as it is.
  const lastMs = until === null ? ceilQuarter(endMs + 1) : endMs >= now.getTime() ? ceilQuarter(endMs) : endMs;
  return { from: new Date(startMs), to: new Date(lastMs) };
}

/** Replaces dates with timestamps: the start of the first day and the end of the last day. */
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

/** Extends a range to whole quarter hours, because rollups cover quarter hours. */
export function toQuarters({ from, to }: ReportRange): ReportRange {
  return { from: new Date(floorQuarter(from.getTime())), to: new Date(ceilQuarter(to.getTime())) };
}

/** Limits a range to the retention period, starting with the first complete quarter hour. */
export function hideOlder({ from, to }: ReportRange, days: number, now: Date): ReportRange {
  const oldestMs = ceilQuarter(now.getTime() - days * DAY_MS);
  const fromMs = Math.max(from.getTime(), oldestMs);
  return { from: new Date(fromMs), to: new Date(Math.max(fromMs, to.getTime())) };
}

const floorQuarter = (atMs: number): number => Math.floor(atMs / QUARTER_MS) * QUARTER_MS;
const ceilQuarter = (atMs: number): number => Math.ceil(atMs / QUARTER_MS) * QUARTER_MS;
