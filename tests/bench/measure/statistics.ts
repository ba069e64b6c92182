export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Returns the quantile of the values, with linear interpolation. */
export function quantile(values: readonly number[], fraction: number): number {
  if (values.length === 0) throw new Error("there is no quantile of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * Returns the median and the quartiles. A short burst of load from another process affects one slice, but not the
 * median.
 */
export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/**
 * Returns the median of each name's values over all records. A record without a name has the value 0 for it, because a
 * thread that did not exist used no CPU.
 */
export function mediansByName(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  const median = (name: string) =>
    quantile(
      records.map((record) => record[name] ?? 0),
      0.5,
    );
  return Object.fromEntries([...names].map((name) => [name, median(name)]));
}

export function mean(first: number, second: number): number {
  return (first + second) / 2;
}
