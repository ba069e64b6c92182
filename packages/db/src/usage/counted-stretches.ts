import { QUARTER_MS } from "./call-filter.ts";
import type { CountedStretch } from "./count-calls.ts";
import type { Stretch } from "./sum-parts.ts";

/** Leaves out the first stretches as far as they are skipped whole, and tells how many calls are left to skip. */
export function skipWhole(
  stretches: readonly CountedStretch[],
  skip: number,
): { kept: readonly CountedStretch[]; left: number } {
  let left = skip;
  const first = stretches.findIndex(({ calls }) => {
    if (left < calls) return true;
    left -= calls;
    return false;
  });
  return { kept: first < 0 ? [] : stretches.slice(first), left };
}

/** As many of the first stretches as have so many calls. */
export function takeEnough(stretches: readonly CountedStretch[], calls: number): readonly CountedStretch[] {
  let counted = 0;
  const end = stretches.findIndex((stretch) => {
    counted += stretch.calls;
    return counted >= calls;
  });
  return end < 0 ? stretches : stretches.slice(0, end + 1);
}

/** Whether it begins and ends with a quarter of an hour, so that the sums count its calls. */
export const isWhole = ({ fromMs, toMs }: Stretch): boolean => fromMs % QUARTER_MS === 0 && toMs % QUARTER_MS === 0;

/** How many calls they have together. */
export const sumOf = (stretches: readonly CountedStretch[]): number =>
  stretches.reduce((sum, { calls }) => sum + calls, 0);

/** Where the latest of them ends. */
export const endOf = (piece: readonly Stretch[]): number => Math.max(...piece.map(({ toMs }) => toMs));

/** Where the earliest of them begins. */
export const beginningOf = (piece: readonly Stretch[]): number => Math.min(...piece.map(({ fromMs }) => fromMs));
