/** Formats a count: 12,345 below a million, then 1.2M. Show the exact value in a tooltip. */
export function formatCount(value: number): string {
  if (Math.abs(value) < 1_000_000) return value.toLocaleString("en-US");
  // Numbers that would be rounded to 1,000M are billions.
  const [size, unit] = Math.abs(value) < 999_950_000 ? [1_000_000, "M"] : [1_000_000_000, "B"];
  return `${(value / size).toLocaleString("en-US", { maximumFractionDigits: 1 })}${unit}`;
}

/** Formats 200,000 tokens as 200K, for context windows, which are usually round numbers. */
export function formatSize(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 999_950) return `${(value / 1_000).toLocaleString("en-US", { maximumFractionDigits: 1 })}K`;
  return `${(value / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })}M`;
}

/** Formats a share as a percentage. Shows 100% only if the share is exactly 1. */
export function formatShare(share: number, digits = 1): string {
  const percent = share * 100;
  const shown = share < 1 && percent >= 100 - 0.5 / 10 ** digits ? 100 - 10 ** -digits : percent;
  return `${shown.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}%`;
}

/** Formats a duration: 412 ms, 4.82 s, 2 min 5 s. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toLocaleString("en-US", { maximumFractionDigits: 1 })} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1_000).toLocaleString("en-US", { maximumFractionDigits: 2 })} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a count with its noun: 1 key, 2 keys. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
