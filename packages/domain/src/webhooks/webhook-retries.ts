const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after each failed try the next one comes. One more try than there are pauses. */
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

/** When to try again after this many tries have failed, or null when that was the last one. `chance` is from 0 to 1. */
export function nextWebhookTry(failedTries: number, now: Date, chance: number): Date | null {
  const pause = PAUSES_MS[failedTries - 1];
  // A fifth of chance, so that what failed together does not come back together.
  return pause === undefined ? null : new Date(now.getTime() + pause * (1 + chance / 5));
}
