import fc from "fast-check";
import { expect, test } from "vitest";
import { scaleDecimal } from "./scale-decimal.ts";

test.each([
  ["2.5", 6, 2_500_000n],
  ["0.0375", 6, 37_500n],
  ["15", 6, 15_000_000n],
  ["1e-7", 12, 100_000n],
  ["2.5e+3", 0, 2500n],
  ["0", 6, 0n],
])("%s times ten to the %i is exact", (text, places, expected) => {
  expect(scaleDecimal(text, places)).toBe(expected);
});

test("rounds digits beyond the unit half-up", () => {
  expect(scaleDecimal("283333.3333333333", 3)).toBe(283_333_333n);
  expect(scaleDecimal("0.0005", 3)).toBe(1n);
  expect(scaleDecimal("0.00049", 3)).toBe(0n);
});

test("rejects text that is not a plain decimal", () => {
  for (const text of ["", "-1", "NaN", "Infinity", "1,5", "0x10"]) expect(() => scaleDecimal(text, 6)).toThrow();
});

test("any price with six decimal places keeps its digits", () => {
  fc.assert(
    fc.property(fc.nat(9999), fc.nat(999_999), (whole, millionths) => {
      const text = `${whole}.${String(millionths).padStart(6, "0")}`;
      expect(scaleDecimal(text, 6)).toBe(BigInt(whole) * 1_000_000n + BigInt(millionths));
    }),
  );
});
