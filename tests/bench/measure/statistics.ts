export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The value at a fraction of the sorted values, between two neighbours in proportion. */
export function quantile(values: readonly number[], fraction: number): number {
  if (values.length === 0) throw new Error("there is no quantile of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Median with quartiles: a neighbour's burst moves one slice, not the figure. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

export function mean(first: number, second: number): number {
  return (first + second) / 2;
}
