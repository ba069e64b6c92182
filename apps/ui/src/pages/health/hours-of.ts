import { errorRate } from "@tollgate/domain/figures/request-class.ts";
import type { StatusCell } from "../../charts/cell-state.ts";

/** Requests of one hour that an upstream had to deliver. */
export interface Hour {
  readonly at: string;
  readonly succeeded: number;
  readonly failed: number;
}

const HOUR_MS = 3_600_000;

/**
 * Returns one row for each model and provider. Deployments that share both have the same counts, because requests are
 * counted by model and provider.
 */
export function oncePerProvider<Row extends { readonly group: string; readonly provider: string }>(
  rows: readonly Row[],
): readonly Row[] {
  return [...new Map(rows.map((row) => [`${row.group}\n${row.provider}`, row])).values()];
}

/** Adds up the cells of all rows by the hour in which they start, oldest first. Cells without a time are skipped. */
export function hoursOf(rows: readonly { readonly cells: readonly StatusCell[] }[]): readonly Hour[] {
  const hours = new Map<number, Hour>();
  for (const { at, succeeded, failed } of rows.flatMap(({ cells }) => cells)) {
    if (at === undefined) continue;
    const start = Math.floor(new Date(at).getTime() / HOUR_MS) * HOUR_MS;
    const before = hours.get(start);
    hours.set(start, {
      at: new Date(start).toISOString(),
      succeeded: (before?.succeeded ?? 0) + succeeded,
      failed: (before?.failed ?? 0) + failed,
    });
  }
  return [...hours.values()].toSorted((one, other) => one.at.localeCompare(other.at));
}

/** Combines neighboring cells, so that each one is wide enough to see and to point at. The first cell can be shorter. */
export function joinCells(cells: readonly StatusCell[], size: number): readonly StatusCell[] {
  const joined: StatusCell[] = [];
  for (let end = cells.length; end > 0; end -= size) {
    const part = cells.slice(Math.max(0, end - size), end);
    const sum = (name: "requests" | "succeeded" | "failed") => part.reduce((total, cell) => total + cell[name], 0);
    const at = part[0]?.at;
    joined.unshift({ requests: sum("requests"), succeeded: sum("succeeded"), failed: sum("failed"), at });
  }
  return joined;
}

/** Returns the error rate of each hour; null for an hour without a request that succeeded or failed. */
export const errorRates = (hours: readonly Hour[]): readonly (number | null)[] => hours.map(errorRate);
