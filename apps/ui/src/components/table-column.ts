import type { ReactNode } from "react";

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "right";
  /** A CSS width; without one the column is as wide as what it holds. */
  readonly width?: string;
  /** The name this column is sorted by; without one it is not sortable. */
  readonly sort?: string;
  /** Lower is dropped first when the table gets too narrow; without one the column always stays. */
  readonly priority?: number;
  readonly className?: string;
  /** The total below this column. */
  readonly footer?: ReactNode;
}

/** The columns that are left after so many were dropped, in their order. The first column names the row and never goes. */
export function keepColumns<Row>(columns: readonly Column<Row>[], dropped: number): readonly Column<Row>[] {
  const gone = new Set(droppable(columns).slice(0, dropped));
  return columns.filter((column) => !gone.has(column));
}

/** Columns that may go, first to go first; of equals the rightmost. */
export function droppable<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns
    .slice(1)
    .filter(({ priority }) => priority !== undefined)
    .toReversed()
    .sort((one, other) => (one.priority ?? 0) - (other.priority ?? 0));
}

/** What a click on a sortable heading asks for: largest first, then smallest first. */
export function nextSort(current: string | undefined, name: string): string {
  return current === `-${name}` ? name : `-${name}`;
}
