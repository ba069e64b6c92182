import type { Row } from "../handlers.ts";
import { readRowFile } from "./read-row-file.ts";

/** Rows in memory, a `.json`, `.jsonl`, or `.csv` file, or a function that yields rows. */
export type RowSource = readonly Row[] | string | (() => Iterable<Row> | AsyncIterable<Row>);

/**
 * A participant's data. With `lazy`, the function gets an empty array and reads `context.rows()` instead, so that a
 * large file is never entirely in memory.
 */
export type DatasetSource =
  | RowSource
  | { readonly rows: RowSource; readonly lazy?: boolean }
  | { readonly splits: Readonly<Record<string, RowSource>>; readonly lazy?: boolean };

/** Rows for one job. Each call to `rows` starts from the beginning. */
export interface DatasetView {
  readonly isLazy: boolean;
  rows(): AsyncIterable<Row>;
  /** Returns all rows in a new array that the function may change. */
  collect(): Promise<Row[]>;
}

/** Yields the rows of a source from the beginning, up to `limit`. */
export async function* readRows(source: RowSource, limit = Number.POSITIVE_INFINITY): AsyncGenerator<Row> {
  let count = 0;
  for await (const row of open(source)) {
    yield row;
    count += 1;
    if (count >= limit) return;
  }
}

/**
 * Returns the rows of a source as an array. In-memory rows are not read one by one, because that would block the event
 * loop.
 */
export async function collectRows(source: RowSource, limit?: number): Promise<Row[]> {
  return Array.isArray(source) ? source.slice(0, limit) : Array.fromAsync(readRows(source, limit));
}

/** Returns the number of rows if it is known without reading the source. */
export function countRows(source: DatasetSource): number | undefined {
  if (Array.isArray(source)) return source.length;
  if (typeof source === "object" && "rows" in source) return countRows(source.rows);
  return undefined;
}

function open(source: RowSource): Iterable<Row> | AsyncIterable<Row> {
  if (typeof source === "string") return readRowFile(source);
  return typeof source === "function" ? source() : source;
}
