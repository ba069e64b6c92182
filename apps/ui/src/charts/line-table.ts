import type { ChartColumn } from "./chart-column.ts";
import type { ChartTable } from "./csv.ts";

interface NamedValues {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** Returns a line chart's values as rows. In a file, columns are labeled with their keys. */
export function lineTable(
  columns: readonly ChartColumn[],
  lines: readonly NamedValues[],
  head: string,
  format: (value: number) => string,
  names: "long" | "key" = "long",
): ChartTable {
  const text = (value: number | null | undefined) => (value === undefined || value === null ? "" : format(value));
  return {
    head: [head, ...lines.map(({ label }) => label)],
    rows: columns.map((column, index) => [column[names], ...lines.map(({ values }) => text(values[index]))]),
  };
}

/** Describes the lines for screen readers: the first, last, and highest value of each line. */
export function summarizeLines(
  columns: readonly ChartColumn[],
  lines: readonly NamedValues[],
  label: string,
  format: (value: number) => string,
): string {
  const parts = lines.flatMap(({ label: name, values }) => {
    const known = values.flatMap((value, index) => (value === null ? [] : [{ value, column: columns[index] }]));
    const [first, last] = [known[0], known.at(-1)];
    if (first === undefined || last === undefined) return [];
    const most = known.reduce((best, each) => (each.value > best.value ? each : best));
    return [
      `${name} from ${format(first.value)} to ${format(last.value)}, highest ${format(most.value)} (${most.column?.long})`,
    ];
  });
  return parts.length === 0 ? `${label}: no data in this range.` : `${label}: ${parts.join("; ")}.`;
}
