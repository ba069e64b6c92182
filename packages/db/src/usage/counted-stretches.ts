import { QUARTER_MS } from "./call-filter.ts";
import type { CountedRange } from "./count-calls.ts";
import type { TimeRange } from "./sum-parts.ts";

/** Leaves out the first stretches as far as they are skipped whole, and tells how many calls are left to skip. */
export function skipWhole(
  stretches: readonly CountedRange[],
  skip: number,
): { kept: readonly CountedRange[]; left: number } {
  let left = skip;
  const first = stretches.findIndex(({ calls }) => {
    if (left < calls) return true;
    left -= calls;
    return false;
  });
  return { kept: first < 0 ? [] : stretches.slice(first), left };
}

/** As many of the first stretches as have so many calls. */
export function takeEnough(stretches: readonly CountedRange[], calls: number): readonly CountedRange[] {
  let counted = 0;
  const end = stretches.findIndex((range) => {
    counted += range.calls;
    return counted >= calls;
  });
  return end < 0 ? stretches : stretches.slice(0, end + 1);
}

/** Whether it begins and ends with a quarter of an hour, so that the sums count its calls. */
export const isWhole = ({ fromMs, toMs }: TimeRange): boolean => fromMs % QUARTER_MS === 0 && toMs % QUARTER_MS === 0;

/** How many calls they have together. */
export const sumOf = (stretches: readonly CountedRange[]): number =>
  stretches.reduce((sum, { calls }) => sum + calls, 0);

/** Where the latest of them ends. */
export const endOf = (piece: readonly TimeRange[]): number => Math.max(...piece.map(({ toMs }) => toMs));

/** Where the earliest of them begins. */
export const beginningOf = (piece: readonly TimeRange[]): number => Math.min(...piece.map(({ fromMs }) => fromMs));
