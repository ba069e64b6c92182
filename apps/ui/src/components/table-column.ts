import type { ReactNode } from "react";

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "right";
  /** CSS width; defaults to the width of the content. */
  readonly width?: string;
  /** Sort name of the column. A column without a sort name can't be sorted. */
  readonly sort?: string;
  /**
   * If the table is too narrow, columns with a lower priority are dropped first. A column without a priority is never
   * dropped.
   */
  readonly priority?: number;
  readonly className?: string;
  /** Total below this column. */
  readonly footer?: ReactNode;
}

/**
 * Returns the remaining columns in order after the given number of columns is dropped. The first column identifies the
 * row and is never dropped.
 */
export function keepColumns<Row>(columns: readonly Column<Row>[], dropped: number): readonly Column<Row>[] {
  const gone = new Set(droppable(columns).slice(0, dropped));
  return columns.filter((column) => !gone.has(column));
}

/**
 * Returns the columns that can be dropped, in the order in which they are dropped. If several columns have the same
 * priority, the rightmost column comes first.
 */
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
