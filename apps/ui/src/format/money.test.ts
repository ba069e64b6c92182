import { expect, test } from "vitest";
import {
  formatPerMillion,
  formatRequestCost,
  formatRunningCost,
  formatTotal,
  splitExact,
  toTypedUsd,
} from "./money.ts";

test("totals have two decimals, thousands separators, and a minus sign", () => {
  expect(formatTotal(238_312_887_040n)).toBe("$238.31");
  expect(formatTotal(12_345_678_000_000_000n)).toBe("$12,345,678.00");
  expect(formatTotal(-420_000_000n)).toBe("−$0.42");
  expect(formatTotal(-1n)).toBe("$0.00");
});

test("a request cost has six decimals, and a nonzero cost is never shown as zero", () => {
  expect(formatRequestCost(23_883_600n)).toBe("$0.023884");
  expect(formatRequestCost(1n)).toBe("<$0.000001");
  expect(formatRequestCost(0n)).toBe("$0.000000");
  expect(formatRunningCost(23_880_000n)).toBe("$0.02388");
  expect(formatRunningCost(5_000_000_000n)).toBe("$5");
  expect(formatRunningCost(0n)).toBe("$0");
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
