/** The value of a gauge without labels in Prometheus' text form; 0 when it is not there. */
export function readGauge(metrics: string, name: string): number {
  const line = new RegExp(`^${name}(?:\\{\\})? (\\S+)$`, "m").exec(metrics);
  return Number(line?.[1] ?? 0);
}

/**
 * The value that this share of a histogram stayed below, over all its series. Within a step the values are taken to be
 * spread evenly; null when nothing was counted.
 */
export function readPercentile(metrics: string, name: string, share: number): number | null {
  const steps = readSteps(metrics, name);
  const total = steps.at(-1)?.count ?? 0;
  if (total === 0) return null;
  const wanted = share * total;
  let below = { bound: 0, count: 0 };
  for (const step of steps) {
    if (step.count >= wanted) {
      // What lies beyond the last bound is only known to do so.
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
  /** Of everything up to the bound. */
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
