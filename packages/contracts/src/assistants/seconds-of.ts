/** A time as the wire carries it: whole Unix seconds. */
export function secondsOf(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}

/** The same for a time that may not have come. */
export function secondsOrNull(timeMs: number | null): number | null {
  return timeMs === null ? null : secondsOf(timeMs);
}
