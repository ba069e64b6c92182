import { expect, test } from "vitest";
import { formatRate } from "./format-rate.ts";

test("formats tokens per million and other units each, with all digits", () => {
  expect(formatRate("input", 2_500_000_000n)).toBe("$2.50 / M");
  expect(formatRate("cacheReadAbove200000", 7_000_000n)).toBe("$0.007 / M");
  expect(formatRate("outputPerImage", 40_000_000_000_000n)).toBe("$0.04 each");
  expect(formatRate("input", null)).toBe("None");
});
