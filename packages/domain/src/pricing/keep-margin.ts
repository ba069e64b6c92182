import { mapPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import { effectiveRate } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";

/**
 * Returns the price that has the same margin on another provider price: each rate keeps its ratio to the provider's
 * rate, rounded up. Rates that the provider doesn't charge, such as an amount per request, stay as they are.
 */
export function keepMargin(sold: Price, bought: Price, next: Price): Price {
  const rates = mapPrices(({ price }) => {
    const [before, cost, after] = [sold[price], effectiveRate(bought, price), effectiveRate(next, price)];
    // A unit whose price is that of another unit must not get a price of its own.
    if (before === null && next[price] === null) return null;
    return scale(before ?? effectiveRate(sold, price), cost, after);
  });
  return tokenPrice(rates.input ?? 0n, rates.output ?? 0n, { ...rates, tier: tierOf(sold, bought, next.tier) });
}

function tierOf(sold: Price, bought: Price, next: PriceTier | null): PriceTier | null {
  if (next === null) return null;
  const rate = (name: "input" | "output" | "cacheRead" | "cacheWrite" | "longCacheWrite") =>
    next[name] == null ? null : scale(effectiveRate(sold, name), effectiveRate(bought, name), next[name]);
  return {
    aboveInputTokens: next.aboveInputTokens,
    input: rate("input"),
    output: rate("output"),
    cacheRead: rate("cacheRead"),
    cacheWrite: rate("cacheWrite"),
    ...(next.longCacheWrite !== undefined && { longCacheWrite: rate("longCacheWrite") }),
  };
}

function scale(sold: bigint | null, cost: bigint | null, next: bigint | null): bigint | null {
  if (sold === null) return next;
  if (cost === null || cost === 0n || next === null) return sold;
  return (next * sold + cost - 1n) / cost;
}
