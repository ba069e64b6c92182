import type { PerformanceHours } from "@tollgate/contracts/management/performance.ts";

const HOUR_MS = 3_600_000;

/** A time in equal cells. */
export interface PerformanceRange {
  readonly time: { readonly fromMs: number; readonly toMs: number };
  readonly cellMs: number;
}

/** Lengths that divide a day, so that no cell reaches across midnight; longer ones are whole hours, which are summed up. */
const cells: Readonly<Record<PerformanceHours, number>> = { 24: HOUR_MS / 4, 168: 2 * HOUR_MS, 720: 8 * HOUR_MS };

/** The last so many hours up to the end of the cell that is now, in 96 cells or a few less. */
export function rangeOf(hours: PerformanceHours, now: Date): PerformanceRange {
  const cellMs = cells[hours];
  const toMs = (Math.floor(now.getTime() / cellMs) + 1) * cellMs;
  return { time: { fromMs: toMs - hours * HOUR_MS, toMs }, cellMs };
}
