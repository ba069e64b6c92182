import { billingUnits, mapPrices, type OptionalPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import { MAX_CARD_RULES, type PriceCondition, type PriceRule, type RateCard } from "./rate-card.ts";
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

/** Prices that depend on the service tier and the region. Fees per use have the same fixed rate in all of them. */
const tokenPrices: readonly PriceName[] = billingUnits.filter(({ kind }) => kind === "token").map(({ price }) => price);

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
 * Returns the card with the fixed rates in the base price and under every condition, except for the token rates of
 * service tiers and regions. Callers choose those, so they keep their standard rates, unless the fixed price has a rule
 * for them.
 */
export function fixCard(card: RateCard, fixed: FixedPrice): RateCard {
  const base = fixPrice(card.base, fixed);
  const max = MAX_CARD_RULES - fixed.rules.length;
  // If there are too many rules, service tiers and regions are left out, and requests for them are refused.
  for (let choices = choicesOf(card); ; choices = choices.slice(0, -1)) {
    const standard = standardRules(card, replacedBy(fixed.prices), choices);
    if (standard.length <= max || choices.length === 0) {
      return { base, rules: [...standard.slice(0, max), ...fixed.rules] };
    }
  }
}

/** A service tier, a region, or one of each, which a caller can choose. */
type Choice = Pick<PriceCondition, "serviceTier" | "region">;

function choicesOf({ rules }: RateCard): readonly Choice[] {
  const choices = rules.map(({ when }) => choiceOf(when)).filter((choice) => Object.keys(choice).length > 0);
  return [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()];
}

function choiceOf({ serviceTier, region }: PriceCondition): Choice {
  return { ...(serviceTier !== undefined && { serviceTier }), ...(region !== undefined && { region }) };
}

/**
 * Returns the card's rules without the replaced rates, except under these choices. A rule for a choice has only the rates
 * that differ from others, so the choices first get back the standard rates that the fixed base price lacks.
 */
function standardRules(
  { base, rules }: RateCard,
  replaced: ReadonlySet<PriceName>,
  choices: readonly Choice[],
): readonly PriceRule[] {
  const tokens = tokenPrices.filter((name) => replaced.has(name));
  const isChoosable = new Set(choices.map((choice) => JSON.stringify(choice)));
  const restored = (name: PriceName) => [name, base[name]] as const;
  const first = choices.map(
    (when): PriceRule => ({ when, prices: Object.fromEntries(tokens.map(restored)), tier: base.tier }),
  );
  const others = rules.flatMap((rule): readonly PriceRule[] => {
    const { when, prices, tier } = rule;
    const choice = choiceOf(when);
    if (Object.keys(choice).length > 0) return isChoosable.has(JSON.stringify(choice)) ? [rule] : [];
    const left = Object.fromEntries(Object.entries(prices).filter(([name]) => !replaced.has(name as PriceName)));
    const leftTier = tier && withoutRates(tier, replaced);
    const isLeft = Object.keys(left).length > 0;
    const own = Object.fromEntries(tokens.filter((name) => name in prices).map((name) => [name, prices[name]]));
    const isReplaced = Object.keys(own).length > 0 || (tokens.length > 0 && tier !== undefined);
    return [
      ...(isLeft ? [{ when, prices: left, ...(tier !== undefined && { tier: leftTier ?? null }) }] : []),
      ...(isReplaced
        ? choices.map((chosen) => ({
            when: { ...when, ...chosen },
            prices: own,
            ...(tier !== undefined && { tier }),
          }))
        : []),
    ];
  });
  return tokens.length === 0 ? others : [...first, ...others];
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
