/** The key under which everything beyond the largest seven is drawn together. */
export const OTHER = "__other__";
/** As many series as can be told apart; the eighth colour is always Other. */
export const MAX_SERIES = 7;

export type ColorOf = (key: string) => string;

/**
 * Gives each entity one colour for the whole page: chart, legend, table and sparkline. Keys come largest first; whatever
 * is not among the first seven is drawn as Other.
 */
export function colorsFor(keysLargestFirst: readonly string[]): ColorOf {
  const places = new Map(keysLargestFirst.slice(0, MAX_SERIES).map((key, index) => [key, index + 1]));
  return (key) => `var(--color-c${places.get(key) ?? MAX_SERIES + 1})`;
}
