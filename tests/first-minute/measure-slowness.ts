/**
 * Time of one slice of the work below on an idle core of the machine for which the limit of the demo was set: the median
 * of 9,000 slices. The median leaves out the slices that another process interrupted.
 */
const REFERENCE_SLICE_MS = 0.43;
const SLICES = 2_500;
/** Slices that are not timed, because code is slow until it has been compiled. */
const WARM_UP_SLICES = 40;
const ROWS = 1_000;

/**
 * Measures how many times slower this machine is now than a quiet core of the machine on which the limit of the demo was
 * set, and never less than 1. Takes a second on that machine. A busy machine is slower, because other processes get a
 * part of the time.
 */
export function measureSlowness(): number {
  runSlices(WARM_UP_SLICES);
  const startedAtMs = performance.now();
  runSlices(SLICES);
  return Math.max(1, (performance.now() - startedAtMs) / (SLICES * REFERENCE_SLICE_MS));
}

/** Sorts and serializes rows, which takes the same kind of work as a start: memory, comparisons, and text. */
function runSlices(count: number): void {
  for (let slice = 0; slice < count; slice += 1) {
    const rows = Array.from({ length: ROWS }, (_, index) => ({ id: (index * 7_919) % ROWS, text: `row ${index}` }));
    const sorted = rows.toSorted((one, other) => one.id - other.id);
    const copy = JSON.parse(JSON.stringify(sorted)) as typeof rows;
    if (copy[1]?.id !== 1) throw new Error("the rows are not sorted");
  }
}
