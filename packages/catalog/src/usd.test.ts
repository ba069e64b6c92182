import fc from "fast-check";
import { expect, test } from "vitest";
import { scaleDecimal } from "../generate/scale-decimal.ts";
import { picoToUsdNumber } from "./usd.ts";

test("returns the same double as parsing the decimal", () => {
  expect(picoToUsdNumber(2_500_000n)).toBe(2.5e-6);
  expect(picoToUsdNumber(10_000_000n)).toBe(1e-5);
  expect(picoToUsdNumber(30_000n)).toBe(3e-8);
  expect(picoToUsdNumber(167_000_000_000n)).toBe(0.167);
  expect(picoToUsdNumber(0n)).toBe(0);
});

test("a price of up to fifteen digits survives a round trip", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 15n - 1n), (pico) => {
      expect(scaleDecimal(String(picoToUsdNumber(pico)), 12)).toBe(pico);
    }),
  );
});
