import { expect, test } from "vitest";
import { bestOf } from "./compare-values.ts";
import { priceIn } from "./price-unit.ts";
import { readWorkload, writeWorkload } from "./workload.ts";

test("the list of best values includes ties, and is empty if fewer than two values are known or all values are equal", () => {
  expect([...bestOf([3n, 1n, null, 1n], "low")]).toEqual([1, 3]);
  expect([...bestOf([3, 1, null], "high")]).toEqual([0]);
  expect([...bestOf([2, 2], "low")]).toEqual([]);
  expect([...bestOf([2, null], "low")]).toEqual([]);
});

test("converts a price to another unit in whole nano-USD", () => {
  expect(priceIn("1m", 125_000_000n, null)?.text).toBe("$0.125");
  expect(priceIn("1k", 125_000_000n, null)).toEqual({ text: "$0.000125", nano: 125_000n });
  expect(priceIn("request", 3_000_000_000n, 1_600)).toEqual({ text: "$0.004800", nano: 4_800_000n });
  expect(priceIn("request", 3_000_000_000n, null)).toBeNull();
  expect(priceIn("1m", null, null)).toBeNull();
});

test("a workload survives a round trip through the URL, and an invalid workload becomes the default", () => {
  const workload = { inputTokens: 12, outputTokens: 3, cachedPercent: 100, requestsPerDay: 9 };
  expect(readWorkload(writeWorkload(workload))).toEqual(workload);
  expect(readWorkload("1-2-900-4").cachedPercent).toBe(100);
  expect(readWorkload("x")).toEqual(readWorkload(""));
});
