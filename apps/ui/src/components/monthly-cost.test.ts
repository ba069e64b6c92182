import { expect, test } from "vitest";
import { monthlyCost } from "./monthly-cost.ts";

const sonnet = {
  inputPerMillionTokens: 3_000_000_000n,
  outputPerMillionTokens: 15_000_000_000n,
  cachedInputPerMillionTokens: 300_000_000n,
  perRequest: 0n,
};
const workload = { inputTokens: 1_600, outputTokens: 420, cachedPercent: 35, requestsPerDay: 5_000 };

test("thirty days cost what each token of each request costs, exactly", () => {
  // 1,040 uncached, 560 cached, and 420 output tokens: 0.003120 + 0.000168 + 0.006300 dollars, 150,000 times.
  expect(monthlyCost(sonnet, workload)).toBe(1_438_200_000_000n);
});

test("without a price for cached input, cached input costs as input does", () => {
  const plain = { ...sonnet, cachedInputPerMillionTokens: null };
  expect(monthlyCost(plain, workload)).toBe(monthlyCost(plain, { ...workload, cachedPercent: 0 }));
});

test("what has no price has no cost, and never none", () => {
  expect(monthlyCost({ ...sonnet, inputPerMillionTokens: null }, workload)).toBeNull();
  expect(monthlyCost({ ...sonnet, outputPerMillionTokens: null }, workload)).toBeNull();
  expect(monthlyCost({ ...sonnet, outputPerMillionTokens: null }, { ...workload, outputTokens: 0 })).not.toBeNull();
});
