import type { OptionalPrices } from "./billing-units.ts";
import { findUnitsBelow } from "./find-units-below.ts";
import { type Price, type PriceTier, priceInTier } from "./price-call.ts";
import { combineFacts, factsIn, forEachServing, type PricePair } from "./price-pairs.ts";
import type { RateCard } from "./rate-card.ts";

/** Rates that are lower in the sold price than in the provider's. */
export interface Loss {
  /** What the provider serves; null if the rates are also lower under no condition. */
  readonly condition: string | null;
  readonly units: readonly (keyof OptionalPrices)[];
}

/**
 * Returns the rates of a sold card that are below the provider's under any condition, each with the first one. Service
 * tiers and regions that only the provider's card has are left out, because requests for them are refused.
 */
export function findLosses(sold: RateCard, bought: RateCard, alwaysSearches = false): readonly Loss[] {
  const losses = new Map<string | null, (keyof OptionalPrices)[]>();
  const listed = new Set<keyof OptionalPrices>();
  const own = factsIn(sold);
  const facts = combineFacts(own, { ...own, searchContexts: factsIn(bought).searchContexts });
  forEachServing(sold, bought, { facts, above: [...sizesOf(sold), ...sizesOf(bought)] }, (pair, inputTokens) => {
    const price = atSize(pair.sold.price, inputTokens);
    const cost = atSize(pair.bought.price, inputTokens);
    const units = findUnitsBelow(price, cost, alwaysSearches).filter((unit) => !listed.has(unit));
    if (units.length === 0) return;
    for (const unit of units) listed.add(unit);
    const condition = describe(pair, inputTokens);
    losses.set(condition, [...(losses.get(condition) ?? []), ...units]);
  });
  return [...losses].map(([condition, units]) => ({ condition, units }));
}

/** Returns the prompt sizes above which a card has other rates. */
function sizesOf({ base, rules }: RateCard): readonly number[] {
  const ofTier = (tier: PriceTier | null | undefined) => (tier == null ? [] : [tier.aboveInputTokens]);
  return [
    ...ofTier(base.tier),
    ...rules.flatMap(({ when, tier }) => [...ofTier(tier), when.aboveInputTokens ?? []].flat()),
  ];
}

function atSize(price: Price, inputTokens: number): Price {
  const { tier } = price;
  return tier !== null && inputTokens > tier.aboveInputTokens ? priceInTier(price, tier) : price;
}

/** Describes when the provider charges this price. */
function describe({ sold, bought }: PricePair, inputTokens: number): string | null {
  const above = bought.price.tier?.aboveInputTokens ?? Number.POSITIVE_INFINITY;
  const condition = bought.condition ?? sold.condition;
  const parts = [
    ...(condition === null ? [] : [condition]),
    ...(inputTokens > above ? [`input above ${above} tokens`] : []),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
