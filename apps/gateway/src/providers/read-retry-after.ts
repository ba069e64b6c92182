import type { UpstreamHeaders } from "../call/provider.ts";

const MAX_RETRY_AFTER_MS = 3_600_000;

/** Returns the delay in milliseconds that the upstream asks for, or null if it asks for none. */
export function readRetryAfter(headers: UpstreamHeaders): number | null {
  const milliseconds = Number(headers["retry-after-ms"]);
  const seconds = Number(headers["retry-after"]);
  return checkWait(Number.isFinite(milliseconds) && milliseconds > 0 ? milliseconds : seconds * 1_000);
}

/** Returns the delay, or null if it is implausible. */
export function checkWait(waitMs: number): number | null {
  return Number.isFinite(waitMs) && waitMs > 0 && waitMs <= MAX_RETRY_AFTER_MS ? waitMs : null;
}
