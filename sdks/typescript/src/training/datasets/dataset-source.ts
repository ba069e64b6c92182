import type { Row } from "../handlers.ts";
import { readRowFile } from "./read-row-file.ts";

/** Rows in memory, a `.json`, `.jsonl` or `.csv` file, or a function that gives them one by one. */
export type RowSource = readonly Row[] | string | (() => Iterable<Row> | AsyncIterable<Row>);

/**
 * Data a participant has. With `lazy` the function is given an empty array and reads `context.rows()` instead, so that
 * a large file is never held in memory at once.
 */
export type DatasetSource =
  | RowSource
  | { readonly rows: RowSource; readonly lazy?: boolean }
  | { readonly splits: Readonly<Record<string, RowSource>>; readonly lazy?: boolean };

/** The rows of one job. Each call of `rows` reads from the beginning. */
export interface DatasetView {
  readonly isLazy: boolean;
  rows(): AsyncIterable<Row>;
  /** All of them at once, in an array that belongs to the function. */
  collect(): Promise<Row[]>;
}

/** The rows of a source from its beginning, or its first `limit`. */
export async function* readRows(source: RowSource, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Row> {
  let count = 0;
  for await (const row of open(source)) {
    yield row;
    count += 1;
    if (count >= limit) return;
  }
}

/** The same rows as one array. What is in memory is not read row by row, which would hold up everything else. */
export async function collectRows(source: RowSource, limit?: number): Promise<Row[]> {
  return Array.isArray(source) ? source.slice(0, limit) : Array.fromAsync(readRows(source, limit));
}

/** How many rows a source has, where that is known without reading it. */
export function countRows(source: DatasetSource): number | undefined {
  if (Array.isArray(source)) return source.length;
  if (typeof source === "object" && "rows" in source) return countRows(source.rows);
  return undefined;
}

function open(source: RowSource): Iterable<Row> | AsyncIterable<Row> {
  if (typeof source === "string") return readRowFile(source);
  return typeof source === "function" ? source() : source;
}
