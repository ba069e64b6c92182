/** Key of the series that combines all series after the seven largest. */
export const OTHER = "__other__";
/** Maximum number of distinguishable series. The eighth color is always used for Other. */
export const MAX_SERIES = 7;

export type ColorOf = (key: string) => string;

/**
 * Assigns each entity one color for the whole page: chart, legend, table, and sparkline. Keys are sorted largest first.
 * Entities after the first seven are drawn as Other.
 */
export function colorsFor(keysLargestFirst: readonly string[]): ColorOf {
  const places = new Map(keysLargestFirst.slice(0, MAX_SERIES).map((key, index) => [key, index + 1]));
  return (key) => `var(--color-c${places.get(key) ?? MAX_SERIES + 1})`;
}
