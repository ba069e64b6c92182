import { listLocalDays, startOfLocalDay } from "../local-time.ts";

/** A time range: the start is included and the end is not. */
interface DateRange {
  readonly from: Date;
  readonly to: Date;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Ranges up to this length are compared by the hour: two days, widened to full quarter hours. */
const MAX_HOURLY_MS = 48.5 * HOUR_MS;

/**
 * Returns the range to compare a range with: the latest one that ends before it and has the same times of day. An
 * unfinished last day is compared with the same part of an earlier day.
 */
export function previousRange({ from, to }: DateRange, zone: string): DateRange {
  const lengthMs = to.getTime() - from.getTime();
  if (lengthMs <= MAX_HOURLY_MS) {
    const shiftMs = Math.ceil(lengthMs / HOUR_MS) * HOUR_MS;
    return { from: new Date(from.getTime() - shiftMs), to: new Date(to.getTime() - shiftMs) };
  }
  let days = Math.floor(lengthMs / DAY_MS) - 1;
  while (daysBefore(to, days, zone) > from.getTime()) days += 1;
  return { from: new Date(daysBefore(from, days, zone)), to: new Date(daysBefore(to, days, zone)) };
}

/** Returns the same time of day on an earlier local day. */
function daysBefore(at: Date, days: number, zone: string): number {
  const atMs = at.getTime();
  const label = listLocalDays(zone, atMs, atMs + 1)[0]?.label as string;
  const earlier = new Date(Date.parse(`${label}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
  return startOfLocalDay(zone, earlier) + (atMs - startOfLocalDay(zone, label));
}
