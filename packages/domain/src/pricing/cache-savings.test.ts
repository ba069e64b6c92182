import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cacheHitRate, cacheSavings } from "./cache-savings.ts";
import { priceCall } from "./price-call.ts";
import { anyPico, pricesOf, usagesUpTo } from "./prices.fixture.ts";
import { tokenPrice } from "./token-price.ts";
import { NO_USAGE } from "./usage.ts";

const price = tokenPrice(3_000_000n, 15_000_000n, {
  cacheRead: 300_000n,
  cacheWrite: 3_750_000n,
  longCacheWrite: 6_000_000n,
  tier: { aboveInputTokens: 1_000, input: 6_000_000n, output: null, cacheRead: 600_000n, cacheWrite: null },
});

describe("savings of the prompt cache", () => {
  test("are the price of plain input minus the price of reads and writes", () => {
    expect(cacheSavings({ ...NO_USAGE, inputTokens: 10, cacheReadTokens: 100 }, price)).toBe(270_000n);
    expect(cacheSavings({ ...NO_USAGE, inputTokens: 10, outputTokens: 500 }, price)).toBe(0n);
  });

  test("are negative if the cache was only written", () => {
    const written = { ...NO_USAGE, cacheWriteTokens: 100 };
    expect(cacheSavings(written, price)).toBe(-75_000n);
    expect(cacheSavings({ ...written, longCacheWriteTokens: 100 }, price)).toBe(-300_000n);
  });

  test("have the rates of the charge, for long prompts too", () => {
    expect(cacheSavings({ ...NO_USAGE, cacheReadTokens: 1_001 }, price)).toBe(1_001n * 5_400n);
  });

  test("and the price are what the call would cost without a cache", () => {
    fc.assert(
      fc.property(usagesUpTo(1_000_000), pricesOf(anyPico), (usage, any) => {
        const inputTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
        const plain = { ...usage, inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, longCacheWriteTokens: 0 };
        expect(priceCall(usage, any) + cacheSavings(usage, any)).toBe(priceCall(plain, any));
      }),
    );
  });
});

test("the hit rate is the cached share of all input", () => {
  expect(cacheHitRate(75, 100)).toBe(0.75);
  expect(cacheHitRate(0, 0)).toBeNull();
});
