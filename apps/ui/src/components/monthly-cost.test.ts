import { expect, test } from "vitest";
import { monthlyCost } from "./monthly-cost.ts";

const sonnet = {
  inputPerMillionTokens: 3_000_000_000n,
  outputPerMillionTokens: 15_000_000_000n,
  cachedInputPerMillionTokens: 300_000_000n,
  perRequest: 0n,
};
const workload = { inputTokens: 1_600, outputTokens: 420, cachedPercent: 35, requestsPerDay: 5_000 };

test("computes the exact cost for 30 days from the price of each token type", () => {
  // 150,000 requests with 1,040 uncached, 560 cached, and 420 output tokens cost 0.003120 + 0.000168 + 0.006300 USD
  // each.
  expect(monthlyCost(sonnet, workload)).toBe(1_438_200_000_000n);
});

test("charges cached input as uncached input if cached input has no price", () => {
  const plain = { ...sonnet, cachedInputPerMillionTokens: null };
  expect(monthlyCost(plain, workload)).toBe(monthlyCost(plain, { ...workload, cachedPercent: 0 }));
});

test("has no cost if a required price is missing", () => {
  expect(monthlyCost({ ...sonnet, inputPerMillionTokens: null }, workload)).toBeNull();
  expect(monthlyCost({ ...sonnet, outputPerMillionTokens: null }, workload)).toBeNull();
  expect(monthlyCost({ ...sonnet, outputPerMillionTokens: null }, { ...workload, outputTokens: 0 })).not.toBeNull();
});
