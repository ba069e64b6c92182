const MAX_BARS = 96;
const widths = [15, 30, 60, 120, 180, 240, 360, 720, 1_440];

/** The bars of a histogram: each starts at its mark, and ends at the next one or at the end of the time range. */
export interface BarMarks {
  readonly bucketMinutes: number;
  readonly marks: readonly number[];
}

/**
 * Chooses the narrowest bars within the limit. Each starts at a multiple of its width, except for the first, which
 * starts with the range, so that no bar counts requests from before it.
 */
export function layOutBars(from: Date, to: Date): BarMarks {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  for (const bucketMinutes of widths) {
    const widthMs = bucketMinutes * 60_000;
    const firstMs = Math.floor(fromMs / widthMs) * widthMs;
    const count = Math.max(1, Math.ceil((toMs - firstMs) / widthMs));
    if (count <= MAX_BARS) {
      const marks = Array.from({ length: count }, (_, index) => Math.max(fromMs, firstMs + index * widthMs));
      return { bucketMinutes, marks };
    }
  }
  throw new Error(`no bar width fits a range of ${toMs - fromMs} ms`);
}
