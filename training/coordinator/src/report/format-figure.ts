/** Formats a duration for display: `340 ms`, `1.2 s`, `2 m 05 s`, `3 h 12 m`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
}

/** Formats a score with up to three decimal places, or in scientific notation if it is very large or small. */
export function formatScore(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 100_000 || size < 0.001)) return value.toExponential(2);
  return value.toFixed(size >= 1_000 ? 0 : size >= 100 ? 1 : 3);
}

/** Formats a count with separators: `12,345`, or `1.2M` for a million or more. */
export function formatCount(value: number): string {
  return value < 1_000_000 ? value.toLocaleString("en-US") : `${(value / 1_000_000).toFixed(1)}M`;
}

/** Formats a share as a percentage with one decimal place. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Formats bytes with a suitable unit. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}
