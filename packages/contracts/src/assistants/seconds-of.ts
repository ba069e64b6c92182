/** Converts a time to its wire format: whole Unix seconds. */
export function secondsOf(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}

/** Converts a time to Unix seconds; null stays null. */
export function secondsOrNull(timeMs: number | null): number | null {
  return timeMs === null ? null : secondsOf(timeMs);
}
