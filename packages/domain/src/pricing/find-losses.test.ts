import fc from "fast-check";
import { expect, test } from "vitest";
import { adjustCard } from "./adjust-price.ts";
import { findLosses } from "./find-losses.ts";
import { cardsOf } from "./prices.fixture.ts";
import type { RateCard } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";

const peak = { name: "peak hours", timeZone: "Asia/Shanghai", days: [], fromMinute: 60, toMinute: 240 };
const flat = (input: bigint, output: bigint, more = {}): RateCard => ({
  base: tokenPrice(input, output, more),
  rules: [],
});

test("a flat price is compared with the provider's price under every condition", () => {
  const bought: RateCard = {
    base: tokenPrice(10n, 20n, { perWebSearch: 5n }),
    rules: [
      { when: { hours: peak }, prices: { input: 30n } },
      { when: { searchContext: "high" }, prices: { perWebSearch: 9n } },
      { when: { aboveInputTokens: 1_000 }, prices: { output: 40n } },
    ],
  };
  expect(findLosses(flat(40n, 40n, { perWebSearch: 9n }), bought)).toEqual([]);
  expect(findLosses(flat(29n, 39n, { perWebSearch: 8n }), bought)).toEqual([
    { condition: "input above 1000 tokens", units: ["output", "reasoning", "audioOutput"] },
    { condition: "peak hours", units: ["input", "cacheRead", "cacheWrite", "audioInput", "longCacheWrite"] },
    { condition: "search context high", units: ["perWebSearch"] },
  ]);
  expect(findLosses(flat(9n, 40n), bought)[0]).toMatchObject({
    condition: null,
    units: expect.arrayContaining(["input"]),
  });
});

test("a price is compared for long prompts too", () => {
  const tier = { aboveInputTokens: 200_000, input: 20n, output: null, cacheRead: null, cacheWrite: null };
  const bought = flat(10n, 20n, { tier });
  expect(findLosses(flat(15n, 20n), bought)).toMatchObject([{ condition: "input above 200000 tokens" }]);
  const rule = { when: { aboveInputTokens: 200_000 }, prices: { input: 20n }, tier: null };
  expect(findLosses({ base: tokenPrice(15n, 20n), rules: [rule] }, bought)).toEqual([]);
});

test("a service tier that isn't sold is refused, so it is no loss", () => {
  const rules = [{ when: { serviceTier: "priority" }, prices: { input: 20n } }];
  const bought: RateCard = { base: tokenPrice(10n, 20n), rules };
  expect(findLosses(flat(10n, 20n), bought)).toEqual([]);
  const sold: RateCard = { base: tokenPrice(10n, 20n), rules: [{ ...rules[0], prices: { input: 19n } } as never] };
  expect(findLosses(sold, bought)).toMatchObject([{ condition: "service tier priority" }]);
});

test("a model that always searches is sold below cost if its searches have no price", () => {
  const bought = flat(10n, 20n, { perWebSearch: 5n });
  expect(findLosses(flat(10n, 20n), bought)).toEqual([]);
  expect(findLosses(flat(10n, 20n), bought, true)).toEqual([{ condition: null, units: ["perWebSearch"] }]);
});

/** A rate of zero, or one like those of providers: at least 0.001 USD per million tokens. */
const anyRate = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1_000n, max: 1_000_000n }));

// The rate of long cache writes in long prompts can follow from three rounded rates, so a markup below 0.1 % of a rate
// as small as these can be lost.
test("a card with a markup of one percent has no loss, and each loss of a discount is found", () => {
  fc.assert(
    fc.property(cardsOf(anyRate), fc.bigInt({ min: 10_000n, max: 1_000_000n }), (card, share) => {
      const raised = adjustCard(card, { shareMillionths: share, fixedNanoUsd: 1n });
      expect(findLosses(raised, card)).toEqual([]);
      const free = adjustCard(card, { shareMillionths: -1_000_000n, fixedNanoUsd: 0n });
      const isPriced = card.base.input > 0n || card.base.output > 0n;
      if (isPriced) expect(findLosses(free, card).length).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});

test("a rule without a condition has no name", () => {
  const bought: RateCard = { base: tokenPrice(10n, 20n), rules: [{ when: {}, prices: { output: 30n } }] };
  expect(findLosses(flat(10n, 20n), bought)).toMatchObject([{ condition: null }]);
});
