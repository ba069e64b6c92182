import { describe, expect, test } from "vitest";
import { type FixedPrice, fixCard, fixPrice } from "./fix-price.ts";
import { NO_PRICE_FACTS } from "./price-facts.ts";
import { peakHours } from "./prices.fixture.ts";
import { MAX_CARD_RULES, pricesOfCard, type RateCard, resolvePrice } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";

const AT_PEAK = Date.parse("2026-11-17T02:00:00Z");
const AT_NIGHT = Date.parse("2026-11-17T12:00:00Z");
const fixed = (prices: FixedPrice["prices"], rules: FixedPrice["rules"] = []): FixedPrice => ({ prices, rules });
const tier = { aboveInputTokens: 1_000, input: 20n, output: 40n, cacheRead: 2n, cacheWrite: null };

describe("a fixed price", () => {
  const standard = tokenPrice(10n, 20n, { cacheRead: 1n, reasoning: 30n, perWebSearch: 5n, perRequest: 7n, tier });

  test("replaces the rates that it names, and those of the token types that follow them, for any length", () => {
    expect(fixPrice(standard, fixed({ input: 8n, perRequest: 0n }))).toEqual(
      tokenPrice(8n, 20n, {
        reasoning: 30n,
        perWebSearch: 5n,
        perRequest: 0n,
        tier: {
          aboveInputTokens: 1_000,
          input: null,
          output: 40n,
          cacheRead: null,
          cacheWrite: null,
          longCacheWrite: null,
        },
      }),
    );
    expect(fixPrice(standard, fixed({ input: 8n, output: 9n, cacheRead: 3n }))).toEqual(
      tokenPrice(8n, 9n, { cacheRead: 3n, perWebSearch: 5n, perRequest: 7n }),
    );
    expect(fixPrice(standard, fixed({ perWebSearch: 6n }))).toMatchObject({
      input: 10n,
      cacheRead: 1n,
      perWebSearch: 6n,
    });
  });

  const card: RateCard = {
    base: standard,
    rules: [
      { when: { hours: peakHours }, prices: { input: 100n, output: 200n } },
      { when: { searchContext: "high" }, prices: { perWebSearch: 9n } },
      { when: { serviceTier: "priority" }, prices: { input: 50n, output: 60n } },
    ],
  };
  const priced = (sold: RateCard, serviceTier: string | null, atMs: number) =>
    resolvePrice(sold, { ...NO_PRICE_FACTS, searchContext: "high", serviceTier }, 0, atMs);

  test("applies at any time, and service tiers keep their standard rates", () => {
    const sold = fixCard(card, fixed({ input: 8n, output: 9n }));
    expect(priced(sold, null, AT_PEAK)).toMatchObject({
      price: { input: 8n, output: 9n, cacheRead: null, perWebSearch: 9n },
      condition: "search context high",
    });
    expect(priced(sold, "priority", AT_NIGHT).price).toMatchObject({ input: 50n, output: 60n, tier: { input: 50n } });
  });

  test("has rates of its own under conditions", () => {
    const rules = [{ when: { serviceTier: "priority" }, prices: { input: 12n } }];
    const sold = fixCard(card, fixed({ input: 8n, output: 9n, perWebSearch: 4n }, rules));
    expect(priced(sold, "priority", AT_NIGHT).price).toMatchObject({ input: 12n, output: 60n, perWebSearch: 4n });
    expect(pricesOfCard(sold).map(({ condition }) => condition)).toEqual([
      null,
      "service tier priority",
      "service tier priority, peak hours",
    ]);
  });

  test("leaves no more rules than a card can have, and only regions with all their rates", () => {
    const region = (index: number) => ({ when: { region: `r${index}` }, prices: { input: 1n } });
    const many: RateCard = {
      base: tokenPrice(10n, 20n, { audioInput: 70n }),
      rules: Array.from({ length: MAX_CARD_RULES }, (_, index) => region(index)),
    };
    const sold = fixCard(many, fixed({ input: 8n }, [region(99)]));
    expect(sold.rules.length).toBeLessThanOrEqual(MAX_CARD_RULES);
    expect(sold.rules.length).toBeGreaterThan(MAX_CARD_RULES - 3);
    expect(sold.rules.at(-1)).toEqual(region(99));
    for (const name of new Set(sold.rules.slice(0, -1).map(({ when }) => when.region as string))) {
      const { price } = resolvePrice(sold, { ...NO_PRICE_FACTS, region: name }, 0, AT_NIGHT);
      expect(price).toMatchObject({ input: 1n, audioInput: 70n });
    }
  });

  test("keeps the standard rates of a service tier for long prompts, at peak, and in regions", () => {
    const sizes: RateCard = {
      base: tokenPrice(10n, 20n, { audioInput: 70n, tier }),
      rules: [
        { when: { hours: peakHours }, prices: { input: 100n, cacheRead: 90n } },
        { when: { aboveInputTokens: 5_000 }, prices: { input: 30n, perWebSearch: 1n }, tier: null },
        { when: { serviceTier: "flex" }, prices: { input: 5n } },
        { when: { region: "eu" }, prices: { output: 22n } },
      ],
    };
    const sold = fixCard(sizes, fixed({ input: 8n, output: 9n, perRequest: 3n }));
    for (const serviceTier of ["flex", null]) {
      for (const region of ["eu", null]) {
        if (serviceTier === null && region === null) continue;
        for (const atMs of [AT_PEAK, AT_NIGHT]) {
          for (const size of [0, 2_000, 6_000]) {
            const facts = { ...NO_PRICE_FACTS, serviceTier, region };
            const { price } = resolvePrice(sold, facts, size, atMs);
            const expected = resolvePrice(sizes, facts, size, atMs);
            expect(price).toEqual({ ...expected.price, perRequest: 3n });
          }
        }
      }
    }
  });
});
