import type { Price, PriceTier } from "./price-call.ts";
import { unitPrices } from "./units.generated.ts";

/** Creates an immutable price per token, with optional additional prices. */
export function tokenPrice(input: bigint, output: bigint, more: Partial<Omit<Price, "input" | "output">> = {}): Price {
  return Object.freeze(unitPrices(input, output, more, hasPrices(more.tier) ? Object.freeze({ ...more.tier }) : null));
}

/**
 * Returns a price whose tier also has a price for one-hour cache writes, if the price itself has one. Some sources don't
 * list it. Providers raise it like other cache writes, and without it, long prompts would be cached at the price of short
 * ones.
 */
export function withLongCacheInTier(price: Price): Price {
  const { input, output, cacheWrite, longCacheWrite, tier } = price;
  if (tier === null || longCacheWrite === null || tier.longCacheWrite != null) return price;
  const write = cacheWrite ?? input;
  const tierWrite = tier.cacheWrite ?? cacheWrite ?? tier.input ?? input;
  if (write === 0n || tierWrite <= write) return price;
  const raised = (longCacheWrite * tierWrite + write - 1n) / write;
  return tokenPrice(input, output, { ...price, tier: { ...tier, longCacheWrite: raised } });
}

function hasPrices(tier: PriceTier | null | undefined): tier is PriceTier {
  if (tier == null) return false;
  const { input, output, cacheRead, cacheWrite, longCacheWrite = null } = tier;
  return [input, output, cacheRead, cacheWrite, longCacheWrite].some((pico) => pico !== null);
}
