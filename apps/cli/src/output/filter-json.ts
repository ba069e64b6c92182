import { parseFilter } from "./parse-filter.ts";

/**
 * Applies a filter to a value. Supports a subset of jq: paths (`.a.b`, `.[0]`, `.["a b"]`), `.[]`, `|`, `,`, `select(.a
 * == "b")` with `and`, `or`, `==`, `!=`, `<`, `<=`, `>`, `>=`, and `map(…)`, `length`, `keys`, `not`.
 */
export function filterJson(value: unknown, filter: string): unknown[] {
  return parseFilter(filter)(value);
}
