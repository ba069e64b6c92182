import fc from "fast-check";
import { expect, test } from "vitest";
import { timingOf } from "./call-timing.ts";

const times = { gatewayBeforeUs: 1_250, queueUs: 3_000, failedUs: 40_000, gatewayAfterUs: 750 };

test("the timing parts add up to the call's duration", () => {
  expect(timingOf({ ...times, latencyMs: 500, firstTokenMs: 144 })).toEqual({
    gatewayBeforeMs: 1.25,
    queueMs: 3,
    failedMs: 40,
    firstTokenMs: 99.75,
    generationMs: 355.25,
    gatewayAfterMs: 0.75,
  });
});

test("a call without a response counts the remaining time as time to the first token", () => {
  const timing = timingOf({ ...times, gatewayAfterUs: 0, latencyMs: 500, firstTokenMs: null });
  expect(timing).toMatchObject({ firstTokenMs: 455.75, generationMs: 0 });
});

test("a call without measured times has no timing breakdown", () => {
  const unknown = { gatewayBeforeUs: null, queueUs: null, failedUs: null, gatewayAfterUs: null };
  expect(timingOf({ ...unknown, latencyMs: 500, firstTokenMs: 144 })).toBeNull();
});

test("no timing part is negative, and rounding changes the sum by at most a millisecond", () => {
  const us = fc.nat({ max: 3_000_000 });
  fc.assert(
    fc.property(us, us, us, us, us, us, (before, queue, failed, wait, generation, after) => {
      const sentUs = before + queue + failed;
      const timing = timingOf({
        gatewayBeforeUs: before,
        queueUs: queue,
        failedUs: failed,
        gatewayAfterUs: after,
        latencyMs: Math.round((sentUs + wait + generation + after) / 1_000),
        firstTokenMs: Math.round((sentUs + wait) / 1_000),
      });
      const parts = Object.values(timing ?? {});
      expect(parts).toHaveLength(6);
      expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
      const sum = parts.reduce((total, part) => total + part, 0);
      expect(Math.abs(sum - (sentUs + wait + generation + after) / 1_000)).toBeLessThanOrEqual(1);
    }),
  );
});
