import type { ChartColumn } from "./chart-column.ts";
import type { ChartTable } from "./csv.ts";
import { MAX_SERIES, OTHER } from "./series-colors.ts";

interface StackedSeries {
  readonly key: string;
  readonly label: string;
  /** One value per column. */
  readonly values: readonly bigint[];
  readonly total: bigint;
}

/** Series over columns: largest first, at most seven series plus Other. All sums are exact. */
export interface Stack {
  readonly columns: readonly ChartColumn[];
  readonly series: readonly StackedSeries[];
  /** One sum per column. */
  readonly totals: readonly bigint[];
  readonly total: bigint;
}

interface StackInput<Row> {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly Row[];
  readonly columnOf: (row: Row) => string;
  readonly seriesOf: (row: Row) => string;
  readonly valueOf: (row: Row) => bigint | number;
  /** Returns the label of a series; defaults to its key. */
  readonly labelOf?: (key: string) => string;
  /** Preserves the given order instead of sorting series largest first, for series whose position has a meaning. */
  readonly order?: readonly string[];
}

/** Sums rows into a stack. Rows outside the columns are skipped so that bars and totals agree. */
export function stackRows<Row>(input: StackInput<Row>): Stack {
  const { columns, rows, columnOf, seriesOf, labelOf = labelOfKey, order } = input;
  const places = new Map(columns.map(({ key }, index) => [key, index]));
  const found = new Map<string, bigint[]>();
  for (const row of rows) {
    const place = places.get(columnOf(row));
    if (place === undefined) continue;
    const key = seriesOf(row);
    const values = found.get(key) ?? columns.map(() => 0n);
    values[place] = (values[place] ?? 0n) + BigInt(input.valueOf(row));
    found.set(key, values);
  }
  const all = [...found].map(([key, values]) => ({ key, label: labelOf(key), values, total: sum(values) }));
  const sorted = order === undefined ? withoutEmpty(all).toSorted(largestFirst) : inOrder(all, order);
  const series = order === undefined ? withOther(sorted, columns.length) : sorted;
  const totals = columns.map((_, index) => sum(series.map(({ values }) => values[index] ?? 0n)));
  return { columns, series, totals, total: sum(totals) };
}

/** Describes the chart for screen readers. */
export function summarizeStack(stack: Stack, label: string, format: (value: bigint) => string): string {
  const { columns, series, totals, total } = stack;
  const [first, last, largest] = [columns[0], columns.at(-1), series[0]];
  if (first === undefined || last === undefined || largest === undefined || total === 0n) {
    return `${label}: no data in this range.`;
  }
  const most = totals.reduce((best, value, index) => (value > (totals[best] ?? 0n) ? index : best), 0);
  const parts = [
    `${label}, ${first.long} to ${last.long}: ${format(total)} in total`,
    `peak ${columns[most]?.long}, ${format(totals[most] ?? 0n)}`,
  ];
  if (series.length > 1) parts.push(`largest share ${largest.label}, ${format(largest.total)}`);
  return `${parts.join("; ")}.`;
}

/**
 * Returns the values as rows: one row per column, one column per series, totals last. Columns are labeled with their
 * long names on a page and with their keys in a file, where programs read them.
 */
export function stackTable(
  stack: Stack,
  head: string,
  format: (value: bigint) => string,
  names: "long" | "key" = "long",
): ChartTable {
  const { columns, series, totals, total } = stack;
  return {
    head: [head, ...series.map(({ label }) => label), "Total"],
    rows: columns.map((column, index) => [
      column[names],
      ...series.map(({ values }) => format(values[index] ?? 0n)),
      format(totals[index] ?? 0n),
    ]),
    foot: ["Total", ...series.map((each) => format(each.total)), format(total)],
  };
}

/** Returns the label of a key. The model is empty if a request was refused before its body was read. */
const labelOfKey = (key: string): string => (key === "" ? "Not recorded" : key);

/** Removes series without values, unless all series are empty. */
function withoutEmpty(all: readonly StackedSeries[]): readonly StackedSeries[] {
  const filled = all.filter(({ total }) => total !== 0n);
  return filled.length === 0 ? all : filled;
}

function withOther(sorted: readonly StackedSeries[], length: number): readonly StackedSeries[] {
  if (sorted.length <= MAX_SERIES) return sorted;
  const rest = sorted.slice(MAX_SERIES);
  const values = Array.from({ length }, (_, index) => sum(rest.map((each) => each.values[index] ?? 0n)));
  return [...sorted.slice(0, MAX_SERIES), { key: OTHER, label: "Other", values, total: sum(values) }];
}

function inOrder(all: readonly StackedSeries[], order: readonly string[]): readonly StackedSeries[] {
  return order.flatMap((key) => all.find((each) => each.key === key) ?? []);
}

function largestFirst(a: StackedSeries, b: StackedSeries): number {
  if (a.total === b.total) return a.label < b.label ? -1 : 1;
  return a.total > b.total ? -1 : 1;
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
