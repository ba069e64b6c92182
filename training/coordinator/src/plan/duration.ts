const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Parses `500ms`, `2s`, `30m`, `1.5h`, or `1d` to milliseconds. Returns undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text.trim());
  if (match === null) return undefined;
  return Math.round(Number(match[1]) * (UNITS[match[2] as string] as number));
}

/** Parses both ends of a range such as `2s..60s`. Returns undefined for anything else. */
export function parseDurationRange(text: string): readonly [number, number] | undefined {
  const parts = text.split("..");
  if (parts.length !== 2) return undefined;
  const [from, to] = parts.map(parseDuration);
  return from === undefined || to === undefined || from > to ? undefined : [from, to];
}

/** Formats milliseconds for display: `250 ms`, `3 s`, `1.5 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const [unit, size] =
    milliseconds < 120_000 ? ["s", 1000] : milliseconds < 7_200_000 ? ["min", 60_000] : ["h", 3_600_000];
  return `${Number((milliseconds / (size as number)).toFixed(1))} ${unit}`;
}
