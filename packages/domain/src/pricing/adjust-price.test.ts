import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { adjustCard, adjustPrice, describeAdjustment } from "./adjust-price.ts";
import { findUnitsBelow } from "./find-units-below.ts";
import { priceCall } from "./price-call.ts";
import { anyPico, pricesOf, usagesUpTo } from "./prices.fixture.ts";
import { resolvePrice } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";

const by = (shareMillionths: bigint, fixedNanoUsd = 0n) => ({ shareMillionths, fixedNanoUsd });

describe("an adjusted price", () => {
  test("has every rate with the share, rounded up, and the amount per request", () => {
    const price = tokenPrice(1_000n, 3n, {
      cacheRead: 7n,
      tier: { aboveInputTokens: 9, input: 11n, output: null, cacheRead: null, cacheWrite: null },
    });
    expect(adjustPrice(price, by(50_000n, 2n))).toEqual(
      tokenPrice(1_050n, 4n, {
        cacheRead: 8n,
        perRequest: 2_000n,
        tier: { aboveInputTokens: 9, input: 12n, output: null, cacheRead: null, cacheWrite: null },
      }),
    );
    expect(adjustPrice(price, by(-1_000_000n))).toMatchObject({ input: 0n, output: 0n, perRequest: null });
  });

  test("is never below the original with a markup, nor above it with a discount", () => {
    fc.assert(
      fc.property(
        pricesOf(anyPico),
        fc.bigInt({ min: 0n, max: 1_000_000n }),
        usagesUpTo(1_000_000),
        (price, share, usage) => {
          const raised = adjustPrice(price, by(share));
          const lowered = adjustPrice(price, by(-share));
          expect(findUnitsBelow(raised, price)).toEqual([]);
          expect(findUnitsBelow(price, lowered)).toEqual([]);
          expect(priceCall(usage, raised) >= priceCall(usage, price)).toBe(true);
          expect(priceCall(usage, lowered) <= priceCall(usage, price)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("has the adjustment under every condition of a card", () => {
    const rules = [{ when: { serviceTier: "flex" }, prices: { input: 50n } }];
    const card = adjustCard({ base: tokenPrice(100n, 200n), rules }, by(100_000n, 1n));
    const facts = { serviceTier: "flex", searchContext: null, region: null };
    expect(resolvePrice(card, facts, 0, 0)).toMatchObject({
      condition: "service tier flex",
      price: { input: 55n, output: 220n, perRequest: 1_000n },
    });
  });
});

test("describes an adjustment", () => {
  expect(describeAdjustment(by(50_000n))).toBe("+5 %");
  expect(describeAdjustment(by(-125_000n, 1_000_000n))).toBe("-12.5 %, +$0.001 per request");
  expect(describeAdjustment(by(0n))).toBeNull();
});
