/** Returns the minimum and maximum of any number of values; both NaN if there are none. */
export function extremes(values: Iterable<number>): { min: number; max: number } {
  let [min, max] = [Number.NaN, Number.NaN];
  for (const value of values) {
    if (!(value >= min)) min = value;
    if (!(value <= max)) max = value;
  }
  return { min, max };
}
