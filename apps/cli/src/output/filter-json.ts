import { parseFilter } from "./parse-filter.ts";

/** One step of a filter: from a value to any number of them. */
export type Filter = (value: unknown) => unknown[];

/**
 * What a filter makes of a value. It knows a part of jq: paths (`.a.b`, `.[0]`, `.["a b"]`), `.[]`, `|`, `,`,
 * `select(.a == "b")` with and, or, `==`, `!=`, `<`, `<=`, `>`, `>=`, and `map(…)`, `length`, `keys`, `not`.
 */
export function filterJson(value: unknown, filter: string): unknown[] {
  return parseFilter(filter)(value);
}
