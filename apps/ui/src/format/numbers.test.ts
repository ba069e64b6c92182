import { expect, test } from "vitest";
import { formatCount, formatDuration, formatShare, formatSize, plural } from "./numbers.ts";

test("counts are exact below a million and short above it, also if they are rounded up to the next unit", () => {
  expect([0, 12_345, 999_999].map(formatCount)).toEqual(["0", "12,345", "999,999"]);
  expect([1_240_000, 999_949_999, 999_950_000, 2_500_000_000].map(formatCount)).toEqual([
    "1.2M",
    "999.9M",
    "1B",
    "2.5B",
  ]);
  expect(formatCount(-1_240_000)).toBe("-1.2M");
});

test("sizes are short, also if they are rounded up to the next unit", () => {
  expect([999, 8_192, 200_000, 999_999, 1_048_576].map(formatSize)).toEqual(["999", "8.2K", "200K", "1M", "1M"]);
});

test("a share is 100% only if it is whole", () => {
  expect([0, 0.123, 0.99999, 1].map((share) => formatShare(share))).toEqual(["0.0%", "12.3%", "99.9%", "100.0%"]);
  expect(formatShare(0.99999, 2)).toBe("99.99%");
});

test("a duration has the unit that fits, and never 60 seconds or 1,000 milliseconds", () => {
  expect([0.25, 412, 4_820, 125_000].map(formatDuration)).toEqual(["0.3 ms", "412 ms", "4.82 s", "2 min 5 s"]);
  expect([999.6, 59_999, 119_700].map(formatDuration)).toEqual(["1 s", "1 min 0 s", "2 min 0 s"]);
});

test("a count agrees with its noun", () => {
  expect([plural(1, "key"), plural(2, "key"), plural(0, "entry", "entries")]).toEqual(["1 key", "2 keys", "0 entries"]);
});
