import type { UpstreamHeaders } from "./provider.ts";

const MAX_RETRY_AFTER_MS = 3_600_000;

/** How long an upstream asks to be left alone, or null. */
export function readRetryAfter(headers: UpstreamHeaders): number | null {
  const milliseconds = Number(headers["retry-after-ms"]);
  const seconds = Number(headers["retry-after"]);
  return checkWait(Number.isFinite(milliseconds) && milliseconds > 0 ? milliseconds : seconds * 1_000);
}

/** The wait itself, or null for one that nobody can mean. */
export function checkWait(waitMs: number): number | null {
  return Number.isFinite(waitMs) && waitMs > 0 && waitMs <= MAX_RETRY_AFTER_MS ? waitMs : null;
}
