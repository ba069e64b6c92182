import { expect, test } from "vitest";
import { adjustPrice } from "./adjust-price.ts";
import { keepMargin } from "./keep-margin.ts";
import { tokenPrice } from "./token-price.ts";

const bought = tokenPrice(1_000_000n, 4_000_000n, { cacheRead: 100_000n });
const next = tokenPrice(2_000_000n, 3_000_000n, {
  cacheRead: 50_000n,
  perWebSearch: 9n,
  tier: { aboveInputTokens: 9, input: 4_000_000n, output: null, cacheRead: null, cacheWrite: null },
});

test("a price with a margin has the same margin on the new price", () => {
  const margin = { shareMillionths: 250_000n, fixedNanoUsd: 7n };
  const { tier, ...rates } = adjustPrice(next, margin);
  expect(keepMargin(adjustPrice(bought, margin), bought, next)).toEqual({
    ...rates,
    // The provider didn't charge searches before, so they have no margin yet.
    perWebSearch: 9n,
    tier,
  });
});

test("the provider's own price becomes the new price", () => {
  expect(keepMargin(bought, bought, next)).toEqual(next);
});
