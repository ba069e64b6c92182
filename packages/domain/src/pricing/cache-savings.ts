import type { NanoUsd } from "../money.ts";
import { type Price, priceCall } from "./price-call.ts";
import type { Usage } from "./usage.ts";

/**
 * Returns how much less a call costs because the provider's prompt cache was used: its price with all cached input as
 * plain input, minus its price. Negative if the cache was written but not read. SQL's `cache_savings` is the same.
 */
export function cacheSavings(usage: Usage, price: Price): NanoUsd {
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  if (cacheReadTokens === 0 && cacheWriteTokens === 0) return 0n;
  const plain = {
    ...usage,
    inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    longCacheWriteTokens: 0,
  };
  return priceCall(plain, price) - priceCall(usage, price);
}

/** Returns the share of input tokens that were read from the provider's cache; null without input. */
export function cacheHitRate(cachedTokens: number, inputTokens: number): number | null {
  return inputTokens === 0 ? null : cachedTokens / inputTokens;
}
