import { dayColumns } from "../../charts/chart-column.ts";
import { addDays, dayOf, startOfDay } from "../../shell/range.ts";

const HOUR_MS = 3_600_000;

interface TimeRange {
  readonly startDate: string;
  readonly endDate: string;
}

/**
 * Returns the previous time range, shifted by whole columns, so that days align and an unfinished last column is
 * compared with the same part of the earlier column.
 */
export function previousRange({ startDate, endDate }: TimeRange, grouping: "day" | "hour", zone: string): TimeRange {
  const [startMs, endMs] = [Date.parse(startDate), Date.parse(endDate)];
  const shiftMs = grouping === "day" ? startMs - dayBefore(startDate, endDate, zone) : wholeHours(endMs - startMs);
  return {
    startDate: new Date(startMs - shiftMs).toISOString(),
    endDate: new Date(endMs - shiftMs).toISOString(),
  };
}

function dayBefore(startDate: string, endDate: string, zone: string): number {
  const days = dayColumns(startDate, endDate, zone).length;
  return startOfDay(addDays(dayOf(new Date(startDate), zone), -days), zone).getTime();
}

const wholeHours = (ms: number): number => Math.ceil(ms / HOUR_MS) * HOUR_MS;
