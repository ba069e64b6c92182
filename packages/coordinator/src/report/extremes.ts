/** The lowest and the highest of values, however many there are; both NaN when there are none. */
export function extremes(values: Iterable<number>): { min: number; max: number } {
  let [min, max] = [Number.NaN, Number.NaN];
  for (const value of values) {
    if (!(value >= min)) min = value;
    if (!(value <= max)) max = value;
  }
  return { min, max };
}
