export interface StatusCell {
  readonly requests: number;
  readonly errors: number;
  /** When the cell begins, where it is known. */
  readonly at?: string | undefined;
}

export type CellState = "none" | "ok" | "degraded" | "down";

/** From this share of errors on a cell is degraded, and from the other on it is down. */
const DEGRADED = 0.05;
const DOWN = 0.5;

/** How a stretch of time went. */
export function cellState({ requests, errors }: StatusCell): CellState {
  if (requests === 0) return "none";
  const share = errors / requests;
  if (share >= DOWN) return "down";
  return share >= DEGRADED ? "degraded" : "ok";
}

/** The cells in one sentence. */
export function describeCells(cells: readonly StatusCell[], label: string): string {
  const requests = cells.reduce((sum, cell) => sum + cell.requests, 0);
  if (requests === 0) return `${label}: no requests.`;
  const errors = cells.reduce((sum, cell) => sum + cell.errors, 0);
  const count = (state: CellState) => cells.filter((cell) => cellState(cell) === state).length;
  return `${label}: ${requests.toLocaleString("en-US")} requests, ${errors.toLocaleString("en-US")} errors; ${count("degraded")} of ${cells.length} intervals degraded, ${count("down")} down.`;
}
