interface Weighed {
  readonly value: number;
  readonly weight: number;
}

/** Returns the weighted median, or null if all weights are zero. */
export function weightedMedian(values: readonly Weighed[]): number | null {
  const sorted = values.filter(({ weight }) => weight > 0).toSorted((one, other) => one.value - other.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let reached = 0;
  for (const { value, weight } of sorted) {
    reached += weight;
    if (reached >= half) return value;
  }
  return null;
}
