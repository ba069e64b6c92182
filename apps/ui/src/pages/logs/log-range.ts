import { formatTime } from "../../format/time.ts";
import { type Range, readRange } from "../../shell/range.ts";

interface RangeState {
  readonly range: string;
  readonly from: string;
  readonly until: string;
}

/** Returns the time range of the list: the range selected in the histogram, or the range in the URL. */
export function logRange(state: RangeState, zone: string, now: Date) {
  const [from, until] = [new Date(state.from), new Date(state.until)];
  const range: Range =
    from < until
      ? {
          label: `${formatTime(from, "minute", zone)} to ${formatTime(until, "minute", zone)}`,
          startDate: from.toISOString(),
          endDate: until.toISOString(),
          hours: (until.getTime() - from.getTime()) / 3_600_000,
        }
      : readRange(state.range, zone, now);
  const { startDate, endDate } = range;
  return { ...range, time: { startDate, ...(endDate !== undefined && { endDate }) } };
}
