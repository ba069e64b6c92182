import type { PriceFacts } from "./price-facts.ts";
import { combineHours } from "./price-hours.ts";
import { type ConditionalPrice, priceDuring, type RateCard } from "./rate-card.ts";

/** The sold price of a call, and the provider's price of the same call. */
export interface PricePair {
  readonly sold: ConditionalPrice;
  readonly bought: ConditionalPrice;
}

/**
 * Returns every pair of prices that a call can have on two cards, each once. The conditions of the cards can differ: a
 * flat price can be sold although the provider charges more at peak hours.
 */
export function pricePairs(sold: RateCard, bought: RateCard): readonly PricePair[] {
  const found = new Map<ConditionalPrice, Map<ConditionalPrice, PricePair>>();
  const sizes = [sold, bought].flatMap(({ rules }) => rules.flatMap(({ when }) => when.aboveInputTokens ?? []));
  forEachServing(sold, bought, { facts: combineFacts(factsIn(sold), factsIn(bought)), above: sizes }, (pair) => {
    const known = found.get(pair.sold) ?? new Map<ConditionalPrice, PricePair>();
    found.set(pair.sold, known);
    if (!known.has(pair.bought)) known.set(pair.bought, pair);
  });
  return [...found.values()].flatMap((pairs) => [...pairs.values()]);
}

/** What a call can be served with, as far as a card names it. */
interface NamedFacts {
  readonly serviceTiers: readonly (string | null)[];
  readonly searchContexts: readonly (string | null)[];
  readonly regions: readonly (string | null)[];
}

/** Returns the facts that the rules of a card name. Null stands for all others. */
export function factsIn({ rules }: RateCard): NamedFacts {
  const named = (fact: keyof PriceFacts) => [null, ...rules.flatMap(({ when }) => when[fact] ?? [])];
  return {
    serviceTiers: named("serviceTier"),
    searchContexts: named("searchContext"),
    regions: named("region"),
  };
}

/** Returns all combinations of the facts that two cards name. */
export function combineFacts(one: NamedFacts, other: NamedFacts): readonly PriceFacts[] {
  const either = (fact: keyof NamedFacts) => [...new Set([...one[fact], ...other[fact]])];
  return either("serviceTiers").flatMap((serviceTier) =>
    either("searchContexts").flatMap((searchContext) =>
      either("regions").map((region) => ({ serviceTier, searchContext, region })),
    ),
  );
}

/** What the provider can serve: any of these facts, with a prompt above any of these sizes, at any time. */
interface Servings {
  readonly facts: readonly PriceFacts[];
  readonly above: readonly number[];
}

/** Visits the prices of two cards for everything that the provider can serve, the shortest prompts first. */
export function forEachServing(
  sold: RateCard,
  bought: RateCard,
  { facts, above }: Servings,
  visit: (pair: PricePair, inputTokens: number) => void,
): void {
  const sizes = [0, ...new Set(above.toSorted((one, other) => one - other).map((size) => size + 1))];
  const hours = combineHours([sold, bought].flatMap(({ rules }) => rules.flatMap(({ when }) => when.hours ?? [])));
  for (const one of facts) {
    for (const during of hours) {
      for (const size of sizes) {
        const pair = {
          sold: priceDuring(sold, one, size, during),
          bought: priceDuring(bought, one, size, during),
        };
        visit(pair, size);
      }
    }
  }
}
