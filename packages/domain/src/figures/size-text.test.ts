import fc from "fast-check";
import { expect, test } from "vitest";
import { formatBytes, formatCount, formatShare, formatTokens } from "./size-text.ts";

const sizes: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, B: 1e9 };

/** Parses a formatted number back. */
function parse(text: string): number {
  const [, count = "", unit = ""] = /^([\d.,]+)([KMB]?)$/.exec(text) ?? [];
  return Number(count.replaceAll(",", "")) * (sizes[unit] ?? Number.NaN);
}

test("1K is 1,000 tokens", () => {
  expect([999, 8_192, 32_768, 128_000, 131_072, 200_000, 262_144, 1_048_576, 2_500_000].map(formatTokens)).toEqual([
    "999",
    "8.2K",
    "33K",
    "128K",
    "131K",
    "200K",
    "262K",
    "1M",
    "2.5M",
  ]);
});

test("1 KB is 1,000 bytes", () => {
  expect([0, 999, 1_000, 8_192, 19_900_000, 3_200_000_000].map(formatBytes)).toEqual([
    "0 B",
    "999 B",
    "1 KB",
    "8.2 KB",
    "20 MB",
    "3.2 GB",
  ]);
});

test("a count is exact below a million and short above it", () => {
  expect([0, 12_345, 999_999, 1_240_000, 999_949_999, 999_950_000, 2_500_000_000].map(formatCount)).toEqual([
    "0",
    "12,345",
    "999,999",
    "1.2M",
    "999.9M",
    "1B",
    "2.5B",
  ]);
  expect(formatCount(-1_240_000)).toBe("-1.2M");
});

test("a number is rounded by five percent at most, and never to 1,000 of a unit", () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: 0, max: 1e12 })), (value) => {
      for (const text of [formatTokens(value), formatCount(value)]) {
        expect(Math.abs(parse(text) - value) <= value * 0.05).toBe(true);
        expect(text).not.toMatch(/1,000[KM]/);
      }
    }),
  );
});

test("a share is 100% only if it is whole, and 0% only if it is zero", () => {
  const shares = [0, 0.0001, 0.123, 0.9999, 1];
  expect(shares.map((share) => formatShare(share))).toEqual(["0.0%", "0.1%", "12.3%", "99.9%", "100.0%"]);
  expect([formatShare(0.99999, 2), formatShare(0.5, 0)]).toEqual(["99.99%", "50%"]);
});
