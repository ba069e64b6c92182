import { parseUsd } from "@tollgate/sdk/platform/parse-usd.ts";
import { usageError } from "./cli-error.ts";

/** Parses a dollar amount such as `25`, `$25`, or `0.5` exactly, with at most nine decimals. */
export function readUsd(text: string): bigint {
  const amount = parseUsd(text);
  if (amount === null)
    throw usageError(`Invalid amount '${text}'.`, "Specify the amount in dollars, for example 25 or 0.5.");
  return amount;
}

/** Formats the time since or until a timestamp, in the largest unit that fits. */
export function formatAge(at: string | null, now = Date.now()): string {
  if (at === null) return "never";
  const seconds = Math.round((now - Date.parse(at)) / 1000);
  const amount = Math.abs(seconds);
  const [size, unit] = units.find(([each]) => amount >= each) ?? [1, "s"];
  const text = `${Math.floor(amount / size)} ${unit}`;
  return seconds < 0 ? `in ${text}` : amount < 2 ? "now" : `${text} ago`;
}

const units: readonly (readonly [number, string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Formats a timestamp in the local time zone. */
export function formatTime(at: string | null): string {
  if (at === null) return "never";
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Parses a date, a timestamp, or a duration from now (`--expires 30d`; `--since 2h` counts backward). */
export function parseTime(text: string, direction: "past" | "future", now = Date.now()): string {
  const span = /^(\d{1,5})\s*(m|min|h|d|w)$/.exec(text.trim());
  if (span !== null) {
    const ms = Number(span[1]) * (spans[span[2] as string] as number);
    return new Date(direction === "past" ? now - ms : now + ms).toISOString();
  }
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw usageError(
      `Invalid time '${text}'.`,
      "Use a format such as 30m, 2h, 7d, 2026-11-14, or 2026-11-14T10:00:00Z.",
    );
  return new Date(at).toISOString();
}

const spans: Readonly<Record<string, number>> = { m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
