import { parseFilter } from "./parse-filter.ts";

/** One step of a filter: maps a value to any number of values. */
export type Filter = (value: unknown) => unknown[];

/**
 * Applies a filter to a value. Supports a subset of jq: paths (`.a.b`, `.[0]`, `.["a b"]`), `.[]`, `|`, `,`, `select(.a
 * == "b")` with `and`, `or`, `==`, `!=`, `<`, `<=`, `>`, `>=`, and `map(…)`, `length`, `keys`, `not`.
 */
export function filterJson(value: unknown, filter: string): unknown[] {
  return parseFilter(filter)(value);
}
