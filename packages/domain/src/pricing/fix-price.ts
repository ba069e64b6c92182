import { mapPrices, type OptionalPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import { applyRule, MAX_CARD_RULES, type PriceRule, type RateCard } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";

/** Rates that replace those of the standard price. */
export interface FixedPrice {
  readonly prices: Partial<OptionalPrices>;
  /** Rates under conditions. They take precedence over all others. */
  readonly rules: readonly PriceRule[];
}

type PriceName = keyof OptionalPrices;

/** Token types that have the rate of another type, unless they have their own. */
const followers: Readonly<Partial<Record<PriceName, readonly PriceName[]>>> = {
  input: ["cacheRead", "cacheWrite", "longCacheWrite", "audioInput"],
  cacheWrite: ["longCacheWrite"],
  output: ["reasoning", "audioOutput"],
};

/**
 * Returns the price with the fixed rates, for prompts of any length. Cached input and audio follow a fixed input rate,
 * and reasoning follows a fixed output rate, unless they have a fixed rate too. Other units keep their rate.
 */
export function fixPrice(price: Price, { prices }: FixedPrice): Price {
  const replaced = replacedBy(prices);
  const rates = mapPrices((unit) => prices[unit.price] ?? (replaced.has(unit.price) ? null : price[unit.price]));
  return tokenPrice(rates.input ?? price.input, rates.output ?? price.output, {
    ...rates,
    tier: price.tier === null ? null : withoutRates(price.tier, replaced),
  });
}

/**
 * Returns the card with the fixed rates in the base price and under every condition, except for service tiers and
 * regions. Callers choose those, so they keep their standard rates, unless the fixed price has a rule for them.
 */
export function fixCard({ base, rules }: RateCard, fixed: FixedPrice): RateCard {
  const replaced = replacedBy(fixed.prices);
  const kept = rules.flatMap((rule): readonly PriceRule[] => {
    const { when, prices, tier } = rule;
    const isChosen = when.serviceTier !== undefined || when.region !== undefined;
    // The standard price's rates for long prompts are not part of the fixed base price.
    if (isChosen) return [{ when, prices, tier: applyRule(base, rule).tier }];
    const left = Object.fromEntries(Object.entries(prices).filter(([name]) => !replaced.has(name as PriceName)));
    if (Object.keys(left).length === 0) return [];
    return [{ when, prices: left, ...(tier !== undefined && { tier: tier && withoutRates(tier, replaced) }) }];
  });
  // If there are too many rules, those of the standard price are left out, and requests for their tiers are refused.
  const standard = kept.slice(0, MAX_CARD_RULES - fixed.rules.length);
  return { base: fixPrice(base, fixed), rules: [...standard, ...fixed.rules] };
}

/** Returns the units whose standard rate doesn't apply. */
function replacedBy(prices: Partial<OptionalPrices>): ReadonlySet<PriceName> {
  const named = Object.keys(prices) as PriceName[];
  return new Set(named.flatMap((name) => [name, ...(followers[name] ?? [])]));
}

function withoutRates(tier: PriceTier, replaced: ReadonlySet<PriceName>): PriceTier {
  const left = (name: Exclude<keyof PriceTier, "aboveInputTokens">) =>
    replaced.has(name) ? null : (tier[name] ?? null);
  return {
    aboveInputTokens: tier.aboveInputTokens,
    input: left("input"),
    output: left("output"),
    cacheRead: left("cacheRead"),
    cacheWrite: left("cacheWrite"),
    longCacheWrite: left("longCacheWrite"),
  };
}
