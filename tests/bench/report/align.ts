import type { Spread } from "../measure/statistics.ts";

/** Aligns the columns of a table: the first to the left, all others to the right. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .map((line) => `  ${line}`)
    .join("\n");
}

/** Formats a median with its quartiles. */
export function withRange(spread: Spread, digits: number): string {
  return `${spread.median.toFixed(digits)} (${spread.low.toFixed(digits)}–${spread.high.toFixed(digits)})`;
}
