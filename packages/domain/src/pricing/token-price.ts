import type { Price, PriceTier } from "./price-call.ts";
import { unitPrices } from "./units.generated.ts";

/** Creates an immutable price per token, with optional additional prices. */
export function tokenPrice(input: bigint, output: bigint, more: Partial<Omit<Price, "input" | "output">> = {}): Price {
  return Object.freeze(unitPrices(input, output, more, hasPrices(more.tier) ? Object.freeze({ ...more.tier }) : null));
}

function hasPrices(tier: PriceTier | null | undefined): tier is PriceTier {
  if (tier == null) return false;
  return tier.input !== null || tier.output !== null || tier.cacheRead !== null || tier.cacheWrite !== null;
}
