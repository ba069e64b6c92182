import type { Price, PriceTier } from "./price-call.ts";

/** Creates an immutable price per token, with optional additional prices. */
export function tokenPrice(input: bigint, output: bigint, more: Partial<Omit<Price, "input" | "output">> = {}): Price {
  return Object.freeze({
    input,
    output,
    cacheRead: more.cacheRead ?? null,
    cacheWrite: more.cacheWrite ?? null,
    reasoning: more.reasoning ?? null,
    audioInput: more.audioInput ?? null,
    audioOutput: more.audioOutput ?? null,
    perCharacter: more.perCharacter ?? null,
    perSecond: more.perSecond ?? null,
    perImage: more.perImage ?? null,
    perSearch: more.perSearch ?? null,
    tier: hasPrices(more.tier) ? Object.freeze({ ...more.tier }) : null,
  });
}

function hasPrices(tier: PriceTier | null | undefined): tier is PriceTier {
  if (tier == null) return false;
  return tier.input !== null || tier.output !== null || tier.cacheRead !== null || tier.cacheWrite !== null;
}
