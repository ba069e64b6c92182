/**
 * Upper bounds of the latency histogram buckets in milliseconds; the last bucket has no bound. The SQL function
 * `latency_step` uses the same bounds.
 */
const bounds = [
  50, 100, 200, 300, 450, 700, 1_000, 1_500, 2_200, 3_300, 5_000, 7_500, 11_000, 17_000, 25_000, 40_000, 60_000,
  120_000, 300_000,
];
export const LATENCY_STEPS = bounds.length + 1;

/**
 * Estimates a latency percentile from the histogram counts. The result is in the same bucket as the true value, and is
 * never above the slowest call's latency.
 */
export function percentileOf(counts: readonly number[], share: number, slowestMs: number): number | null {
  const calls = counts.reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  const wanted = share * calls;
  let below = 0;
  for (const [step, count] of counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const lowest = bounds[step - 1] ?? 0;
      const highest = Math.max(lowest, Math.min(bounds[step] ?? slowestMs, slowestMs));
      return Math.round(lowest + ((highest - lowest) * (wanted - below)) / count);
    }
    below += count;
  }
  return slowestMs;
}
