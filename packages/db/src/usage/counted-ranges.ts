import { QUARTER_MS } from "./call-filter.ts";
import type { CountedRange } from "./count-calls.ts";
import type { TimeRange } from "./sum-parts.ts";

/** Drops the leading time ranges that are skipped entirely, and returns how many more calls to skip. */
export function skipWhole(
  ranges: readonly CountedRange[],
  skip: number,
): { kept: readonly CountedRange[]; left: number } {
  let left = skip;
  const first = ranges.findIndex(({ calls }) => {
    if (left < calls) return true;
    left -= calls;
    return false;
  });
  return { kept: first < 0 ? [] : ranges.slice(first), left };
}

/** Returns the leading time ranges that together have at least this many calls. */
export function takeEnough(ranges: readonly CountedRange[], calls: number): readonly CountedRange[] {
  let counted = 0;
  const end = ranges.findIndex((range) => {
    counted += range.calls;
    return counted >= calls;
  });
  return end < 0 ? ranges : ranges.slice(0, end + 1);
}

/** Reports whether the range starts and ends on a 15-minute boundary, so that the rollups can count its calls. */
export const isWhole = ({ fromMs, toMs }: TimeRange): boolean => fromMs % QUARTER_MS === 0 && toMs % QUARTER_MS === 0;

/** Returns the total number of calls. */
export const sumOf = (ranges: readonly CountedRange[]): number => ranges.reduce((sum, { calls }) => sum + calls, 0);

/** Returns the end of the latest range. */
export const endOf = (piece: readonly TimeRange[]): number => Math.max(...piece.map(({ toMs }) => toMs));

/** Returns the start of the earliest range. */
export const beginningOf = (piece: readonly TimeRange[]): number => Math.min(...piece.map(({ fromMs }) => fromMs));
