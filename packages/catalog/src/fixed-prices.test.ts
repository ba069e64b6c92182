import { fixCard } from "@tollgate/domain/pricing/fix-price.ts";
import { pricesOfCard, type RateCard, resolvePrice } from "@tollgate/domain/pricing/rate-card.ts";
import { expect, test } from "vitest";
import { loadCatalog } from "./catalog.ts";
import { priceOfModel, priceRulesOf } from "./price-of-model.ts";

const catalog = loadCatalog();
const cards = catalog
  .providers()
  .flatMap((provider) => catalog.modelsOfProvider(provider))
  .flatMap((model): readonly (readonly [string, RateCard])[] => {
    const base = priceOfModel(model);
    const rules = priceRulesOf(model);
    return base === null || !rules.some(isChosen) ? [] : [[model.id, { base, rules }]];
  });

function isChosen({ when }: RateCard["rules"][number]): boolean {
  return when.serviceTier !== undefined || when.region !== undefined;
}

/** Returns the resolved prices of each service tier and region of a card, at any prompt size and time of its hours. */
function chosenPrices(card: RateCard, sold: RateCard) {
  const named = (fact: "serviceTier" | "region") => [
    null,
    ...new Set(card.rules.flatMap(({ when }) => when[fact] ?? [])),
  ];
  const sizes = card.rules.flatMap(({ when, tier }) => [when.aboveInputTokens ?? 0, tier?.aboveInputTokens ?? 0]);
  const hours = [0, 3, 7, 12, 18].map((hour) => Date.UTC(2026, 10, 17, hour, 30));
  return named("serviceTier").flatMap((serviceTier) =>
    named("region").flatMap((region) =>
      card.rules.some(({ when }) => matches(when, serviceTier, region))
        ? [...new Set([0, ...sizes])].flatMap((size) =>
            hours.map((atMs) => resolvePrice(sold, { serviceTier, region, searchContext: null }, size + 1, atMs).price),
          )
        : [],
    ),
  );
}

function matches(when: RateCard["rules"][number]["when"], serviceTier: string | null, region: string | null): boolean {
  const isOfChoice = when.serviceTier !== undefined || when.region !== undefined;
  return isOfChoice && [undefined, serviceTier].includes(when.serviceTier) && [undefined, region].includes(when.region);
}

test("service tiers and regions of all models keep their standard rates beside a fixed price", () => {
  expect(cards.length).toBeGreaterThan(50);
  for (const [id, card] of cards) {
    for (const prices of [
      { input: card.base.input },
      { input: 1n },
      { output: 1n },
      { input: 2n, output: 3n, cacheRead: 1n },
    ]) {
      const sold = fixCard(card, { prices, rules: [] });
      expect(chosenPrices(card, sold), `${id} with ${Object.keys(prices)}`).toEqual(chosenPrices(card, card));
      expect(pricesOfCard(sold).length).toBeGreaterThan(0);
    }
  }
});
