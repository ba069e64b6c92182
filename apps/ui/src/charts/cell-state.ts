export interface StatusCell {
  readonly requests: number;
  readonly errors: number;
  /** Start of the cell's time range, if known. */
  readonly at?: string | undefined;
}

export type CellState = "none" | "ok" | "degraded" | "down";

/** Minimum shares of errors at which a cell counts as degraded or down. */
const DEGRADED = 0.05;
const DOWN = 0.5;

/** Classifies a time range by its share of errors. */
export function cellState({ requests, errors }: StatusCell): CellState {
  if (requests === 0) return "none";
  const share = errors / requests;
  if (share >= DOWN) return "down";
  return share >= DEGRADED ? "degraded" : "ok";
}

/** Summarizes the cells in one sentence. */
export function describeCells(cells: readonly StatusCell[], label: string): string {
  const requests = cells.reduce((sum, cell) => sum + cell.requests, 0);
  if (requests === 0) return `${label}: no requests.`;
  const errors = cells.reduce((sum, cell) => sum + cell.errors, 0);
  const count = (state: CellState) => cells.filter((cell) => cellState(cell) === state).length;
  return `${label}: ${requests.toLocaleString("en-US")} requests, ${errors.toLocaleString("en-US")} errors; ${count("degraded")} of ${cells.length} intervals degraded, ${count("down")} down.`;
}
