import { billingUnits, mapPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import { effectiveRate } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";

/** Rates are rounded up after each adjustment, so ratios can differ by this many pico-USD. */
const ROUNDING_PICO = 4n;

/**
 * Reports whether a price is the provider's with a margin: every rate has the same ratio to the provider's. Prices that
 * an operator configured by hand rarely do. The amount per request may differ.
 */
export function hasUniformMargin(sold: Price, bought: Price): boolean {
  const pairs = billingUnits.flatMap(({ price }) => {
    const [own, cost] = [sold[price], bought[price]];
    if (price === "perRequest" || (own === null && cost === null)) return [];
    return [{ own, cost }];
  });
  if (pairs.some(({ own, cost }) => own === null || cost === null)) return false;
  const rates = pairs as { own: bigint; cost: bigint }[];
  const [first, ...others] = rates;
  // The largest rate has the most exact ratio.
  const reference = first && others.reduce((largest, rate) => (rate.cost > largest.cost ? rate : largest), first);
  if (reference === undefined || reference.cost === 0n) return false;
  return rates.every(({ own, cost }) => {
    const difference = own * reference.cost - cost * reference.own;
    return (difference < 0n ? -difference : difference) <= ROUNDING_PICO * reference.cost;
  });
}

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
