import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { readTimeRange } from "@tollgate/contracts/management/read-time.ts";

const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * 60_000;
const DEFAULT_DAYS = 7;
const MOST_DAYS = 92;
/** Days after it have a year of five digits, which nothing that goes by days can read. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** A time from inclusive to exclusive. */
export interface ReportRange {
  readonly from: Date;
  readonly to: Date;
}

/**
 * The time a report is about: the last seven days unless told otherwise. A day as the end includes that day, a moment
 * does not include itself.
 */
export function readRange(query: { startDate?: string; endDate?: string }, now: Date): ReportRange {
  const { from, until } = readTimeRange(query);
  const endMs = Math.min(LATEST_MS, Math.max(0, (until ?? now).getTime()));
  const startMs = Math.max(0, from?.getTime() ?? floorQuarter(endMs - DEFAULT_DAYS * DAY_MS));
  if (startMs > endMs) throw invalidField("startDate", "must not be after endDate");
  if (endMs - startMs > MOST_DAYS * DAY_MS) {
    throw invalidField("startDate", `and endDate may be ${MOST_DAYS} days apart at most; ask for a shorter time`);
  }
  // What has not ended yet goes on to the end of its quarter of an hour, up to which sums are kept.
  return { from: new Date(startMs), to: new Date(endMs >= now.getTime() ? ceilQuarter(endMs + 1) : endMs) };
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
