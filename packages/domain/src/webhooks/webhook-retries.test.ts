import fc from "fast-check";
import { expect, test } from "vitest";
import { nextWebhookTry, WEBHOOK_TRIES } from "./webhook-retries.ts";

const MINUTE_MS = 60_000;
const now = new Date("2026-11-14T10:00:00Z");

test("a delivery is attempted up to eight times, with pauses from one minute to one day", () => {
  const pauses = Array.from({ length: WEBHOOK_TRIES }, (_, index) => nextWebhookTry(index + 1, now, 0));
  const minutes = pauses.map((at) => (at === null ? null : (at.getTime() - now.getTime()) / MINUTE_MS));
  expect(minutes).toEqual([1, 5, 30, 120, 360, 720, 1440, null]);
});

test("jitter lengthens a pause by at most a fifth and never shortens it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: WEBHOOK_TRIES - 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (tries, chance) => {
        const least = (nextWebhookTry(tries, now, 0) as Date).getTime() - now.getTime();
        const pause = (nextWebhookTry(tries, now, chance) as Date).getTime() - now.getTime();
        expect(pause).toBeGreaterThanOrEqual(least);
        expect(pause).toBeLessThanOrEqual(least * 1.2);
      },
    ),
  );
});
