import type { ReactNode } from "react";

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "right";
  /** CSS width; defaults to the width of the content. */
  readonly width?: string;
  /** Sort name of the column; not sortable without one. */
  readonly sort?: string;
  /** If the table is too narrow, lower priorities are dropped first. Without a priority the column always stays. */
  readonly priority?: number;
  readonly className?: string;
  /** Total below this column. */
  readonly footer?: ReactNode;
}

/** Returns the columns left after dropping the given number, in order. The first identifies the row and stays. */
export function keepColumns<Row>(columns: readonly Column<Row>[], dropped: number): readonly Column<Row>[] {
  const gone = new Set(droppable(columns).slice(0, dropped));
  return columns.filter((column) => !gone.has(column));
}

/** Returns the columns that can be dropped, in dropping order; on a tie the rightmost comes first. */
export function droppable<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  return columns
    .slice(1)
    .filter(({ priority }) => priority !== undefined)
    .toReversed()
    .sort((one, other) => (one.priority ?? 0) - (other.priority ?? 0));
}

/** Returns the sort order after a click on a heading: descending first, then ascending. */
export function nextSort(current: string | undefined, name: string): string {
  return current === `-${name}` ? name : `-${name}`;
}
