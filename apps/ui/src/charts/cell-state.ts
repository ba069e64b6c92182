import { errorRate } from "@tollgate/domain/figures/request-class.ts";

export interface StatusCell {
  readonly requests: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Start of the cell's time range, if known. */
  readonly at?: string | undefined;
}

export type CellState = "none" | "ok" | "degraded" | "down";

/** Error rates from which a cell counts as degraded or down. */
const DEGRADED = 0.05;
const DOWN = 0.5;

/** Classifies a time range by its error rate. */
export function cellState(cell: StatusCell): CellState {
  if (cell.requests === 0) return "none";
  const rate = errorRate(cell) ?? 0;
  if (rate >= DOWN) return "down";
  return rate >= DEGRADED ? "degraded" : "ok";
}

/** Summarizes the cells in one sentence. */
export function describeCells(cells: readonly StatusCell[], label: string): string {
  const requests = cells.reduce((sum, cell) => sum + cell.requests, 0);
  if (requests === 0) return `${label}: no requests.`;
  const failed = cells.reduce((sum, cell) => sum + cell.failed, 0);
  const count = (state: CellState) => cells.filter((cell) => cellState(cell) === state).length;
  return `${label}: ${requests.toLocaleString("en-US")} requests, ${failed.toLocaleString("en-US")} failed; ${count("degraded")} of ${cells.length} intervals degraded, ${count("down")} down.`;
}
