import { expect, test } from "vitest";
import { describeTimingBar } from "./describe-timing-bar.ts";
import { moneySegments, rulerMarks, timeSegments } from "./timing-segments.ts";

const timing = {
  gatewayBeforeMs: 0.4,
  queueMs: 0,
  failedMs: 212,
  firstTokenMs: 641,
  generationMs: 3_964,
  gatewayAfterMs: 0.3,
};
const nothing = {
  gatewayBeforeMs: 0,
  queueMs: 0,
  failedMs: 0,
  firstTokenMs: 0,
  generationMs: 0,
  gatewayAfterMs: 0,
};

test("timing segments are in order, add up to the whole, and omit phases that did not happen", () => {
  const segments = timeSegments(timing);
  expect(segments.map(({ part }) => part)).toEqual([
    "gatewayBefore",
    "failed",
    "firstToken",
    "generation",
    "gatewayAfter",
  ]);
  expect(segments.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
});

test("a call that took no time still has both gateway segments, with zero shares", () => {
  expect(timeSegments(nothing)).toEqual([
    { part: "gatewayBefore", share: 0 },
    { part: "gatewayAfter", share: 0 },
  ]);
});

test("the cost is split by unit, with reasoning counted as output and all other units grouped as other", () => {
  const segments = moneySegments([
    { unit: "input", amount: 250n },
    { unit: "output", amount: 250n },
    { unit: "reasoning", amount: 250n },
    { unit: "image", amount: 250n },
  ]);
  expect(segments).toEqual([
    { part: "input", share: 0.25 },
    { part: "output", share: 0.5 },
    { part: "other", share: 0.25 },
  ]);
});

test("a free call has no cost segments", () => {
  expect(moneySegments([{ unit: "input", amount: 0n }])).toEqual([]);
  expect(moneySegments([])).toEqual([]);
});

test("the ruler has round marks that never overlap the total", () => {
  expect(rulerMarks(4_818).map(({ label }) => label)).toEqual(["0", "1 s", "2 s", "3 s", "4 s", "4.82 s"]);
  expect(rulerMarks(2_050).map(({ label }) => label)).toEqual(["0", "500 ms", "1 s", "1.5 s", "2.05 s"]);
  for (const total of [0.4, 7, 93, 734, 30_001, 599_000]) expect(rulerMarks(total).length).toBeLessThanOrEqual(8);
  expect(rulerMarks(0)).toEqual([{ share: 0, label: "0" }]);
});

test("the timing bar description matches the CLI output", () => {
  expect(describeTimingBar({ timing, latencyMs: 4_817.7, class: "succeeded", cost: 23_883_600n })).toBe(
    "4.82 s  gw 0.4 · failed 212 · first token 641 · generation 3,964 · gw 0.3 ms  $0.0239",
  );
  expect(describeTimingBar({ timing: null, latencyMs: 0.5, class: "refused" })).toBe(
    "Refused before any provider was called",
  );
  expect(describeTimingBar({ timing: null, latencyMs: 812, class: "succeeded", cost: 0n })).toBe("812 ms  $0.00");
});
