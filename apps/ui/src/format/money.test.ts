import { expect, test } from "vitest";
import { formatPerMillion, formatRequestCost, splitExact, toTypedUsd } from "./money.ts";

test("a request cost has six decimals, and a nonzero cost is never shown as zero", () => {
  expect(formatRequestCost(23_883_600n)).toBe("$0.023884");
  expect(formatRequestCost(1n)).toBe("<$0.000001");
  expect(formatRequestCost(0n)).toBe("$0.000000");
});

test("exact amounts preserve all nine digits", () => {
  expect(splitExact(214_371_826_400n)).toEqual({ cents: "$214.37", rest: "1826400" });
});

test("an unknown price is not shown as zero", () => {
  expect(formatPerMillion(null)).toBe("Unpriced");
  expect(formatPerMillion(0n)).toBe("$0.00");
  expect(formatPerMillion(250_000_000n)).toBe("$0.25");
  expect(formatPerMillion(37_500_000n)).toBe("$0.0375");
});

test("an amount is formatted for its input field without loss", () => {
  expect(toTypedUsd(25_000_000_000n)).toBe("25.00");
  expect(toTypedUsd(1_250_500_000_001n)).toBe("1250.500000001");
});
