import fc from "fast-check";
import { type CountedUnit, countedUnits, mapPrices } from "./billing-units.ts";
import type { FixedPrice } from "./fix-price.ts";
import type { Price } from "./price-call.ts";
import type { PriceFacts } from "./price-facts.ts";
import type { PriceHours } from "./price-hours.ts";
import type { PriceCondition, PriceRule, RateCard } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";
import type { Usage } from "./usage.ts";

/** Generates usage values with consistent sub-counters, up to the given count and often near edge values. */
export function usagesUpTo(most: number): fc.Arbitrary<Usage> {
  const edges = [0, 1, 999, 1_000, 199_999, 200_000, 200_001, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, most];
  const count = fc.oneof(fc.constantFrom(...edges.filter((edge) => edge <= most)), fc.integer({ min: 0, max: most }));
  return fc
    .record({
      text: count,
      audioInput: count,
      cacheReadTokens: count,
      briefCacheWrite: count,
      longCacheWriteTokens: count,
      written: count,
      reasoningTokens: count,
      audioOutput: count,
      counted: fc.record(forEachCounted("name", count)),
    })
    .map(({ text, audioInput, briefCacheWrite, written, audioOutput, counted, ...used }) => ({
      ...used,
      ...counted,
      cacheWriteTokens: briefCacheWrite + used.longCacheWriteTokens,
      inputTokens: text + audioInput,
      outputTokens: written + used.reasoningTokens + audioOutput,
      audioInputTokens: audioInput,
      audioOutputTokens: audioOutput,
      source: "reported",
    }));
}

/** Prices are small enough that the cost of billions of units still fits in the ledger. */
export const anyPico = fc.oneof(
  fc.constantFrom(0n, 1n, 499n, 500n, 2n ** 31n - 1n, 2n ** 31n),
  fc.bigInt({ min: 0n, max: 1_000_000_000n }),
);

/** Generates prices of every type, each of which may be missing. */
export function pricesOf(pico: fc.Arbitrary<bigint>): fc.Arbitrary<Price> {
  const optional = fc.option(pico, { freq: 2 });
  const aboveInputTokens = fc.constantFrom(0, 1_000, 200_000, 271_999, 2 ** 31);
  const tier = fc.record({
    aboveInputTokens,
    input: optional,
    output: optional,
    cacheRead: optional,
    cacheWrite: optional,
    longCacheWrite: optional,
  });
  const more = fc.record({
    cacheRead: optional,
    cacheWrite: optional,
    reasoning: optional,
    audioInput: optional,
    audioOutput: optional,
    longCacheWrite: optional,
    ...forEachCounted("price", optional),
    tier: fc.option(tier, { freq: 2 }),
  });
  return fc.tuple(pico, pico, more).map(([input, output, rest]) => tokenPrice(input, output, rest));
}

/** Hours of generated cards. */
export const peakHours: PriceHours = {
  name: "peak hours",
  timeZone: "Asia/Shanghai",
  days: [],
  fromMinute: 540,
  toMinute: 720,
};

const anyTier = fc.constantFrom("flex", "priority", "batch");
const anyContext = fc.constantFrom("low", "medium", "high");
export const anyRegion = fc.constantFrom("us", "eu");

/** Generates what a request asks for. */
export const anyFacts: fc.Arbitrary<PriceFacts> = fc.record({
  serviceTier: fc.option(anyTier),
  searchContext: fc.option(anyContext),
  region: fc.option(anyRegion),
});

/** Generates rules with any condition and any rates. */
function rulesOf(pico: fc.Arbitrary<bigint>): fc.Arbitrary<readonly PriceRule[]> {
  const when: fc.Arbitrary<PriceCondition> = fc.record(
    {
      serviceTier: anyTier,
      searchContext: anyContext,
      region: anyRegion,
      hours: fc.constant(peakHours),
      aboveInputTokens: fc.constantFrom(1_000, 200_000, 400_000),
    },
    { requiredKeys: [] },
  );
  const prices = fc.record(
    mapPrices(() => pico),
    { requiredKeys: [] },
  );
  const rule = fc.tuple(when, prices, fc.option(pricesOf(pico), { nil: undefined })).map(([condition, rates, own]) => ({
    when: condition,
    prices: rates,
    ...(own !== undefined && { tier: own.tier }),
  }));
  return fc.array(rule, { maxLength: 6 });
}

/** Generates cards with any rules. */
export function cardsOf(pico: fc.Arbitrary<bigint>): fc.Arbitrary<RateCard> {
  return fc.record({ base: pricesOf(pico), rules: rulesOf(pico) });
}

/** Generates fixed prices with any rates and rules. */
export function fixedPricesOf(pico: fc.Arbitrary<bigint>): fc.Arbitrary<FixedPrice> {
  const prices = fc.record(
    mapPrices(() => pico),
    { requiredKeys: [] },
  );
  return fc.record({ prices, rules: rulesOf(pico) });
}

/** Returns the value for each unit other than tokens, by the unit's name or price. */
function forEachCounted<Key extends "name" | "price", Value>(key: Key, value: Value): Record<CountedUnit[Key], Value> {
  return Object.fromEntries(countedUnits.map((unit) => [unit[key], value])) as Record<CountedUnit[Key], Value>;
}
