import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration } from "./duration-text.ts";

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a formatted duration back to milliseconds. */
function parse(text: string): number {
  return [...text.matchAll(/([\d.,]+) (ms|s|min|h|d)/g)].reduce(
    (sum, [, count = "", unit = ""]) => sum + Number(count.replaceAll(",", "")) * (unitsMs[unit] ?? Number.NaN),
    0,
  );
}

test("a duration has the units that fit", () => {
  expect([0, 0.01, 0.25, 9.97, 412, 999.6, 4_820, 59_999].map(formatDuration)).toEqual([
    "0 ms",
    "<0.1 ms",
    "0.3 ms",
    "10 ms",
    "412 ms",
    "1 s",
    "4.82 s",
    "1 min 0 s",
  ]);
  expect([125_000, 3_599_800, 12_000_000, 86_399_000, 1_051_200_000].map(formatDuration)).toEqual([
    "2 min 5 s",
    "1 h 0 min",
    "3 h 20 min",
    "1 d 0 h",
    "12 d 4 h",
  ]);
});

test("a duration of at least a millisecond is rounded by five percent at most, and none is shown as zero", () => {
  const anyDuration = fc.oneof(
    fc.double({ min: 1, max: 1e5, noNaN: true }),
    fc.double({ min: 1, max: 1e11, noNaN: true }),
  );
  fc.assert(
    fc.property(anyDuration, (ms) => {
      const text = formatDuration(ms);
      expect(Math.abs(parse(text) - ms) <= ms * 0.05).toBe(true);
      expect(text).not.toMatch(/\b60 (s|min)|\b24 h|\b1000 ms/);
    }),
  );
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1, noNaN: true }), (ms) => {
      expect(formatDuration(ms)).toMatch(/[1-9]/);
    }),
  );
});
