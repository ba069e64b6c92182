/** Returns the value of a gauge without labels from Prometheus text; 0 if the gauge is absent. */
export function readGauge(metrics: string, name: string): number {
  const line = new RegExp(`^${name}(?:\\{\\})? (\\S+)$`, "m").exec(metrics);
  return Number(line?.[1] ?? 0);
}

/**
 * Estimates a percentile of a histogram across all its series. Values within a bucket are assumed to be evenly
 * distributed. Returns null if the histogram is empty.
 */
export function readPercentile(metrics: string, name: string, share: number): number | null {
  const steps = readSteps(metrics, name);
  const total = steps.at(-1)?.count ?? 0;
  if (total === 0) return null;
  const wanted = share * total;
  let below = { bound: 0, count: 0 };
  for (const step of steps) {
    if (step.count >= wanted) {
      // The last bucket has no upper bound.
      if (!Number.isFinite(step.bound)) return below.bound;
      const part = (wanted - below.count) / (step.count - below.count);
      return below.bound + (step.bound - below.bound) * part;
    }
    below = step;
  }
  return below.bound;
}

interface Step {
  readonly bound: number;
  /** Cumulative count of values up to the bucket's upper bound. */
  readonly count: number;
}

function readSteps(metrics: string, name: string): readonly Step[] {
  const counts = new Map<number, number>();
  for (const line of metrics.split("\n")) {
    if (!line.startsWith(`${name}_bucket{`)) continue;
    const [, bound, count] = /le="([^"]+)"\} (\S+)$/.exec(line) ?? [];
    if (bound === undefined) continue;
    const upTo = bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound);
    counts.set(upTo, (counts.get(upTo) ?? 0) + Number(count));
  }
  return [...counts].map(([bound, count]) => ({ bound, count })).toSorted((one, other) => one.bound - other.bound);
}
