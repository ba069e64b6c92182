import { expect, test } from "vitest";
import { formatDuration, parseDuration, parseDurationRange } from "./duration.ts";

test("durations need a unit", () => {
  expect(["500ms", "2s", "30m", "1.5h", "1d", " 2s "].map(parseDuration)).toEqual([
    500, 2000, 1_800_000, 5_400_000, 86_400_000, 2000,
  ]);
  for (const text of ["", "30", "s", "-2s", "2 s", "1e3s", "2sec", "Infinitys"])
    expect(parseDuration(text)).toBeUndefined();
});

test("a range must go from a shorter to a longer duration", () => {
  expect(parseDurationRange("2s..60s")).toEqual([2000, 60_000]);
  for (const text of ["60s..2s", "2s", "2s..", "2s...60s", "1s..2s..3s"])
    expect(parseDurationRange(text)).toBeUndefined();
});

test("formats durations in a readable unit", () => {
  expect([250, 1500, 3000, 60_000, 1_800_000, 86_400_000].map(formatDuration)).toEqual([
    "250 ms",
    "1.5 s",
    "3 s",
    "60 s",
    "30 min",
    "24 h",
  ]);
});
