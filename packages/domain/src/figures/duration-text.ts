const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Formats a duration in the units that fit: 0.3 ms, 412 ms, 4.82 s, 2 min 5 s, 3 h 20 min, 12 d 4 h. A nonzero duration
 * is never shown as zero.
 */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 0.05) return "<0.1 ms";
  if (ms < 9.95) return `${trimmed(ms, 1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS - 5) return `${trimmed(ms / SECOND_MS, 2)} s`;
  if (ms < HOUR_MS - SECOND_MS / 2) return inUnits(ms, SECOND_MS, 60, "min", "s");
  if (ms < DAY_MS - MINUTE_MS / 2) return inUnits(ms, MINUTE_MS, 60, "h", "min");
  return inUnits(ms, HOUR_MS, 24, "d", "h");
}

/** Formats a duration in whole small units, so that the small unit is never rounded up to a large one. */
function inUnits(ms: number, smallMs: number, perLarge: number, large: string, small: string): string {
  const count = Math.round(ms / smallMs);
  return `${Math.floor(count / perLarge).toLocaleString("en-US")} ${large} ${count % perLarge} ${small}`;
}

const trimmed = (value: number, decimals: number): string => String(Number(value.toFixed(decimals)));
