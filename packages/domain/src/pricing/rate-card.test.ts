import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { billingUnits } from "./billing-units.ts";
import { fixCard } from "./fix-price.ts";
import { type Price, priceCall } from "./price-call.ts";
import { NO_PRICE_FACTS, type PriceFacts } from "./price-facts.ts";
import { anyFacts, anyRegion, cardsOf, fixedPricesOf, usagesUpTo } from "./prices.fixture.ts";
import {
  cardInRegion,
  MAX_CARD_RULES,
  MAX_CATALOG_RULES,
  MAX_PRICE_RULES,
  maximumPrice,
  type PriceRule,
  pricesOfCard,
  type RateCard,
  resolvePrice,
  serviceTiersOf,
} from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";
import { NO_USAGE } from "./usage.ts";

const peak = { name: "peak hours", timeZone: "UTC", days: [], fromMinute: 60, toMinute: 240 };
const atPeak = Date.parse("2026-11-17T02:00:00Z");
const atNight = Date.parse("2026-11-17T12:00:00Z");

const card: RateCard = {
  base: tokenPrice(1_000n, 8_000n, {
    cacheRead: 100n,
    perWebSearch: 10n,
    tier: { aboveInputTokens: 200_000, input: 2_000n, output: 9_000n, cacheRead: null, cacheWrite: null },
  }),
  rules: [
    { when: { serviceTier: "flex" }, prices: { input: 500n, output: 4_000n } },
    { when: { serviceTier: "priority" }, prices: { input: 3_000n, output: 16_000n, cacheRead: 300n } },
    { when: { searchContext: "high" }, prices: { perWebSearch: 14n } },
    { when: { hours: peak }, prices: { output: 12_000n } },
    { when: { serviceTier: "priority", hours: peak }, prices: { output: 20_000n } },
    { when: { aboveInputTokens: 500_000 }, prices: { input: 5_000n }, tier: null },
  ],
};

describe("the price that was served", () => {
  const facts = (more: Partial<PriceFacts>): PriceFacts => ({ ...NO_PRICE_FACTS, ...more });

  test("is the base price if no rule matches, whatever the response calls it", () => {
    for (const serviceTier of [null, "default", "scale"]) {
      const { price, condition } = resolvePrice(card, facts({ serviceTier }), 10, atNight);
      expect(price).toBe(card.base);
      expect(condition).toBeNull();
    }
  });

  test("has the rates of each matching rule, and the later rule decides", () => {
    const served = facts({ serviceTier: "priority", searchContext: "high" });
    const { price, condition } = resolvePrice(card, served, 10, atPeak);
    expect(price).toMatchObject({ input: 3_000n, output: 20_000n, cacheRead: 300n, perWebSearch: 14n });
    expect(condition).toBe("service tier priority, search context high, peak hours");
  });

  test("raises one-hour cache writes of long prompts like other cache writes, unless it has a price for them", () => {
    const tier = { aboveInputTokens: 200_000, input: 6n, output: 30n, cacheRead: null, cacheWrite: 8n };
    const base = tokenPrice(3n, 15n, { cacheWrite: 4n, longCacheWrite: 6n });
    const longOf = (rule: Partial<PriceRule>) => {
      const rules = [{ when: { serviceTier: "x" }, prices: {}, ...rule }];
      return resolvePrice({ base, rules }, facts({ serviceTier: "x" }), 10, atNight).price.tier?.longCacheWrite;
    };
    expect(longOf({ tier })).toBe(12n);
    expect(longOf({ tier: { ...tier, longCacheWrite: 9n } })).toBe(9n);
    expect(longOf({ tier: { ...tier, cacheWrite: 4n } })).toBeUndefined();
  });

  test("has a condition that the ledger can store, however long the names are", () => {
    const rules = [{ when: { serviceTier: `${"t".repeat(180)}😀`, region: "r".repeat(50) }, prices: { input: 1n } }];
    const [when] = rules.map((rule) => rule.when);
    const { condition } = resolvePrice({ base: card.base, rules }, facts({ ...when }), 10, atNight);
    expect(condition).toMatch(/^service tier t{180}/);
    expect(condition?.length).toBeLessThanOrEqual(200);
    expect(condition?.isWellFormed()).toBe(true);
  });

  test("does not cost less for a long prompt than the rule says", () => {
    expect(resolvePrice(card, facts({ serviceTier: "priority" }), 10, atNight).price.tier).toMatchObject({
      input: 3_000n,
      output: 16_000n,
    });
    expect(resolvePrice(card, facts({ serviceTier: "flex" }), 10, atNight).price.tier).toMatchObject({ input: 2_000n });
  });

  test("does not cost less for a long prompt than the band of its size, however many bands there are", () => {
    const tier = (input: bigint) => ({
      aboveInputTokens: 128_000,
      input,
      output: null,
      cacheRead: null,
      cacheWrite: null,
    });
    const base = tokenPrice(1_000n, 8_000n, { tier: tier(2_000n) });
    const larger: PriceRule = { when: { aboveInputTokens: 256_000 }, prices: { input: 4_000n }, tier: null };
    const costAt = (rules: readonly PriceRule[], inputTokens: number) =>
      priceCall(
        { ...NO_USAGE, inputTokens },
        resolvePrice({ base, rules: [larger, ...rules] }, facts({ serviceTier: "priority" }), inputTokens, atNight)
          .price,
      );
    const when = { serviceTier: "priority" };
    const isCheaper: PriceRule = { when, prices: { input: 1_500n } };
    expect(costAt([], 300_000)).toBe(1_200_000n);
    expect(costAt([isCheaper], 300_000)).toBe(1_200_000n);
    expect(costAt([isCheaper], 200_000)).toBe(400_000n);
    expect(costAt([isCheaper], 100_000)).toBe(150_000n);
    expect(costAt([{ ...isCheaper, tier: tier(3_000n) }], 300_000)).toBe(1_200_000n);
    expect(costAt([{ ...isCheaper, tier: tier(3_000n) }], 200_000)).toBe(600_000n);
    expect(costAt([{ when, prices: { input: 5_000n } }], 300_000)).toBe(1_500_000n);
    // A rule for the tier and the size applies as it is.
    const own = { when: { ...when, aboveInputTokens: 256_000 }, prices: { input: 3_500n }, tier: null };
    expect(costAt([isCheaper, own], 300_000)).toBe(1_050_000n);
  });

  test("depends on the size of the prompt", () => {
    expect(resolvePrice(card, NO_PRICE_FACTS, 500_000, atNight).condition).toBeNull();
    const { price, condition } = resolvePrice(card, NO_PRICE_FACTS, 500_001, atNight);
    expect(price).toMatchObject({ input: 5_000n, output: 8_000n, tier: null });
    expect(condition).toBe("input above 500000 tokens");
  });

  test("is the same object each time, so that its version is computed once", () => {
    const served = facts({ serviceTier: "flex" });
    expect(resolvePrice(card, served, 10, atNight)).toBe(resolvePrice(card, { ...served }, 20, atNight));
  });
});

test("a card has a price for each combination of its conditions", () => {
  const conditions = pricesOfCard(card).map(({ condition }) => condition);
  expect(conditions).toHaveLength(3 * 2 * 2 * 2);
  expect(conditions).toContain("service tier flex, search context high, peak hours, input above 500000 tokens");
});

test("a card lists its service tiers", () => {
  expect(serviceTiersOf(card)).toEqual(["flex", "priority"]);
});

test("a request that names no tier is held at the base tier, at any time", () => {
  expect(maximumPrice(card, NO_PRICE_FACTS, 10)).toMatchObject({ input: 1_000n, output: 12_000n });
});

test("a request that names no tier is also held at the tiers that the account may use", () => {
  expect(maximumPrice(card, NO_PRICE_FACTS, 10, ["flex", "priority"])).toMatchObject({
    input: 3_000n,
    output: 20_000n,
  });
  expect(maximumPrice(card, NO_PRICE_FACTS, 10, ["scale"])).toMatchObject({ input: 1_000n, output: 12_000n });
});

test("two ranges of hours with the same name are one condition", () => {
  const later = { ...peak, fromMinute: 360, toMinute: 600 };
  const rule = (hours: typeof peak): PriceRule => ({ when: { hours }, prices: { input: 2_000n } });
  const twice: RateCard = { base: card.base, rules: [rule(peak), rule(later)] };
  expect(pricesOfCard(twice).map(({ condition }) => condition)).toEqual([null, "peak hours"]);
  const at = (time: string) => resolvePrice(twice, NO_PRICE_FACTS, 10, Date.parse(`2026-11-17T${time}Z`)).condition;
  expect([at("00:59:59"), at("01:00:00"), at("05:00:00"), at("09:59:59"), at("10:00:00")]).toEqual([
    null,
    "peak hours",
    null,
    "peak hours",
    null,
  ]);
});

test("every range of hours that contains the time applies, whatever its name is", () => {
  const range = (name: string, fromMinute: number, toMinute: number) => ({ ...peak, name, fromMinute, toMinute });
  const rule = (hours: typeof peak, input: bigint): PriceRule => ({ when: { hours }, prices: { input } });
  const inputAt = (one: RateCard, time: string) =>
    resolvePrice(one, NO_PRICE_FACTS, 10, Date.parse(`2026-11-17T${time}:00Z`)).price.input;
  // Two prices under one name.
  const named: RateCard = {
    base: card.base,
    rules: [rule(range("peak hours", 60, 240), 2_000n), rule(range("peak hours", 360, 600), 3_000n)],
  };
  expect([inputAt(named, "02:00"), inputAt(named, "05:00"), inputAt(named, "07:00")]).toEqual([2_000n, 1_000n, 3_000n]);
  // The later rule applies where the ranges overlap.
  const overlapping: RateCard = {
    base: card.base,
    rules: [rule(range("day", 0, 600), 2_000n), rule(range("peak hours", 300, 900), 3_000n)],
  };
  expect(["04:00", "06:00", "12:00"].map((time) => inputAt(overlapping, time))).toEqual([2_000n, 3_000n, 3_000n]);
  expect(maximumPrice(overlapping, NO_PRICE_FACTS, 10).input).toBe(3_000n);
  expect(pricesOfCard(overlapping).map(({ condition }) => condition)).toEqual([
    null,
    "day",
    "peak hours",
    "day, peak hours",
  ]);
});

describe("a card of a deployment in one region", () => {
  const regional: RateCard = {
    base: card.base,
    rules: [
      { when: { serviceTier: "flex" }, prices: { input: 500n } },
      { when: { region: "eu" }, prices: { input: 1_100n } },
      { when: { region: "us" }, prices: { input: 1_200n } },
      { when: { serviceTier: "flex", region: "eu" }, prices: { input: 550n } },
    ],
  };

  test("has the prices of its region, and no other region", () => {
    const eu = cardInRegion(regional, "eu");
    expect(eu.base).toMatchObject({ input: 1_100n, output: 8_000n });
    expect(pricesOfCard(eu).map(({ condition }) => condition)).toEqual([null, "service tier flex"]);
    expect(resolvePrice(eu, { ...NO_PRICE_FACTS, serviceTier: "flex" }, 10, atNight).price.input).toBe(550n);
  });

  test("has the base price outside these regions", () => {
    const elsewhere = cardInRegion(regional, null);
    expect(elsewhere).toEqual({ base: card.base, rules: [regional.rules[0]] });
  });
});

test("a request for flex is held at its price, because providers refuse it instead of serving another tier", () => {
  const maximum = maximumPrice(card, { ...NO_PRICE_FACTS, serviceTier: "flex" }, 10);
  expect(maximum).toMatchObject({ input: 500n, output: 12_000n });
});

test("a request for another tier is also held at the base price, because the provider may serve that", () => {
  const cheap: RateCard = { base: card.base, rules: [{ when: { serviceTier: "batch" }, prices: { input: 500n } }] };
  expect(maximumPrice(cheap, { ...NO_PRICE_FACTS, serviceTier: "batch" }, 10)).toMatchObject({ input: 1_000n });
});

test("a request that names a region is held at the prices of all regions, because the response names the region", () => {
  const rules = [{ when: { region: "us" }, prices: { input: 500n } }];
  const cheaper: RateCard = { base: card.base, rules };
  expect(maximumPrice(cheaper, { ...NO_PRICE_FACTS, region: "us" }, 10)).toMatchObject({ input: 1_000n });
});

describe("any card", () => {
  const rate = fc.bigInt({ min: 0n, max: 1_000_000n });
  const fixedCard = fc.tuple(cardsOf(rate), fixedPricesOf(rate)).map(([standard, fixed]) => fixCard(standard, fixed));
  const anyCard = fc.oneof(cardsOf(rate), fixedCard);

  test("never charges more than the maximum of the prices that are possible for the request", () => {
    fc.assert(
      fc.property(
        anyCard,
        anyFacts,
        usagesUpTo(300_000),
        fc.record({ isDowngraded: fc.boolean(), isPeak: fc.boolean(), region: fc.option(anyRegion) }),
        (any, requested, usage, { isDowngraded, isPeak, region }) => {
          const inputTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
          const maximum = maximumPrice(any, requested, inputTokens);
          const served = {
            ...requested,
            serviceTier: isDowngraded && requested.serviceTier !== "flex" ? null : requested.serviceTier,
            region,
          };
          const charged = resolvePrice(any, served, inputTokens, isPeak ? atPeak : atNight);
          expect(pricesOfCard(any).includes(charged)).toBe(true);
          expect(priceCall(usage, charged.price)).toBeLessThanOrEqual(priceCall(usage, withoutTier(maximum)));
        },
      ),
      { numRuns: 500 },
    );
  });

  /** Applies the tier's rates if they are higher. The hold is computed in the same way. */
  function withoutTier(price: Price): Price {
    const { tier } = price;
    if (tier === null) return price;
    const atMost = (one: bigint | null, other: bigint | null | undefined) =>
      one === null || (other != null && other > one) ? (other ?? one) : one;
    const input = atMost(price.input, tier.input) as bigint;
    const output = atMost(price.output, tier.output) as bigint;
    return tokenPrice(input, output, {
      ...price,
      cacheRead: atMost(atMost(price.cacheRead ?? input, tier.cacheRead), input),
      cacheWrite: atMost(atMost(price.cacheWrite ?? input, tier.cacheWrite), input),
      longCacheWrite: atMost(
        atMost(atMost(price.longCacheWrite ?? price.cacheWrite ?? input, tier.longCacheWrite), tier.cacheWrite),
        input,
      ),
      reasoning: atMost(price.reasoning ?? output, output),
      audioInput: atMost(price.audioInput ?? input, input),
      audioOutput: atMost(price.audioOutput ?? output, output),
      tier: null,
    });
  }
});

test("the maximum has a price for each unit that one of the prices has", () => {
  const base = tokenPrice(3n, 1n);
  const prices = Object.fromEntries(billingUnits.map(({ price }) => [price, 5n]));
  const maximum = maximumPrice({ base, rules: [{ when: { region: "us" }, prices }] }, NO_PRICE_FACTS, 10);
  for (const { price } of billingUnits) expect(maximum[price]).toBe(5n);
});

test("a card can have all rules of the catalog and of an operator", () => {
  expect(MAX_CATALOG_RULES + MAX_PRICE_RULES).toBe(MAX_CARD_RULES);
  const rules = Array.from({ length: MAX_CARD_RULES }, (_, index) => ({
    when: { serviceTier: `tier ${index}` },
    prices: { input: BigInt(index) },
  }));
  const large = { base: tokenPrice(1_000n, 0n), rules };
  for (const [index] of rules.entries()) {
    const { price, condition } = resolvePrice(large, { ...NO_PRICE_FACTS, serviceTier: `tier ${index}` }, 0, 0);
    expect({ input: price.input, condition }).toEqual({
      input: BigInt(index),
      condition: `service tier tier ${index}`,
    });
  }
  const all = { base: large.base, rules: rules.map(({ prices }) => ({ when: { aboveInputTokens: 1 }, prices })) };
  expect(resolvePrice(all, NO_PRICE_FACTS, 2, 0).price.input).toBe(BigInt(MAX_CARD_RULES - 1));
  expect(resolvePrice(all, NO_PRICE_FACTS, 1, 0).price.input).toBe(1_000n);
});
