const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Delay after each failed attempt. There is one more attempt than there are delays. */
const PAUSES_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
] as const;

export const WEBHOOK_TRIES = PAUSES_MS.length + 1;

/** Returns when to retry after this many failed attempts, or null after the last attempt. `chance` is from 0 to 1. */
export function nextWebhookTry(failedTries: number, now: Date, chance: number): Date | null {
  const pause = PAUSES_MS[failedTries - 1];
  // Add up to 20% jitter, so that deliveries that failed together are not retried together.
  return pause === undefined ? null : new Date(now.getTime() + pause * (1 + chance / 5));
}
