import type { PerformanceHours } from "@tollgate/contracts/management/performance.ts";

const HOUR_MS = 3_600_000;

/** A time range divided into equal cells. */
export interface PerformanceRange {
  readonly time: { readonly fromMs: number; readonly toMs: number };
  readonly cellMs: number;
}

/**
 * Cell length for each range. Each length divides a day, so that no cell spans midnight. The longer cells are whole
 * hours, which have rollups.
 */
const cells: Readonly<Record<PerformanceHours, number>> = { 24: HOUR_MS / 4, 168: 2 * HOUR_MS, 720: 8 * HOUR_MS };

/** Returns the last `hours` up to the end of the current cell, in at most 96 cells. */
export function rangeOf(hours: PerformanceHours, now: Date): PerformanceRange {
  const cellMs = cells[hours];
  const toMs = (Math.floor(now.getTime() / cellMs) + 1) * cellMs;
  return { time: { fromMs: toMs - hours * HOUR_MS, toMs }, cellMs };
}
