import { printable, shorten, widthOf } from "./printable.ts";
import type { Styles } from "./styles.ts";

export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string;
  readonly align?: "right";
  /**
   * Columns with priority 1 are dropped last. If several columns have the same priority, the rightmost column is
   * dropped first.
   */
  readonly priority?: number;
  /** Colors the cell by its text. */
  readonly paint?: (text: string, styles: Styles) => string;
}

const GAP = "   ";
const DEFAULT_PRIORITY = 2;

/** Formats rows for a terminal: aligned, no borders, as many columns as fit. Lines are never wrapped. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  styles: Styles,
): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.value(row))));
  const widths = columns.map((column, at) =>
    Math.max(widthOf(column.header), ...cells.map((line) => widthOf(line[at] ?? ""))),
  );
  const shown = fitColumns(columns, widths, width);
  const line = (texts: readonly string[], paint: (text: string, at: number) => string) =>
    shown
      .map((at, place) => pad(texts[at] ?? "", at, place, paint))
      .join(GAP)
      .trimEnd();
  const last = shown.at(-1);
  const room = width - shown.slice(0, -1).reduce((sum, at) => sum + (widths[at] ?? 0) + GAP.length, 0);
  const pad = (text: string, at: number, place: number, paint: (text: string, at: number) => string): string => {
    const isLast = at === last;
    const fitted = isLast ? shorten(text, Math.max(room, 1)) : text;
    const missing = " ".repeat(Math.max(0, Math.min(widths[at] ?? 0, isLast ? room : Infinity) - widthOf(fitted)));
    const painted = paint(fitted, at);
    if (columns[at]?.align === "right") return missing + painted;
    return isLast && place > 0 ? painted : painted + missing;
  };
  const head = styles.dim(
    line(
      columns.map(({ header }) => header),
      (text) => text,
    ),
  );
  const body = cells.map((texts) => line(texts, (text, at) => columns[at]?.paint?.(text, styles) ?? text));
  return `${[head, ...body].join("\n")}\n`;
}

/** Formats rows for programs: tab-separated, without a header, with all columns. */
export function formatTsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return rows.map((row) => `${columns.map((column) => printable(column.value(row))).join("\t")}\n`).join("");
}

function fitColumns<Row>(columns: readonly Column<Row>[], widths: readonly number[], width: number): number[] {
  const shown = columns.map((_, at) => at);
  const needed = () => shown.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + GAP.length * (shown.length - 1);
  const rank = (at: number) => columns[at]?.priority ?? DEFAULT_PRIORITY;
  while (shown.length > 1 && needed() > width) {
    const worst = shown.reduce((chosen, at) => (rank(at) >= rank(chosen) ? at : chosen));
    if (rank(worst) <= 1) break;
    shown.splice(shown.indexOf(worst), 1);
  }
  return shown;
}
