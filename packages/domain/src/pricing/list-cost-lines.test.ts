import fc from "fast-check";
import { expect, test } from "vitest";
import { billingUnits, mapPrices, type UnitCounts } from "./billing-units.ts";
import { listCostLines } from "./list-cost-lines.ts";
import { type Price, priceCall } from "./price-call.ts";
import { tokenPrice } from "./token-price.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const rate = fc.bigInt({ min: 0n, max: 90_000_000n });
const optionalRate = fc.option(rate);
const price: fc.Arbitrary<Price> = fc.record({
  ...mapPrices(() => optionalRate),
  input: rate,
  output: rate,
  tier: fc.option(
    fc.record({
      aboveInputTokens: fc.nat({ max: 2_000 }),
      input: optionalRate,
      output: optionalRate,
      cacheRead: optionalRate,
      cacheWrite: optionalRate,
      longCacheWrite: optionalRate,
    }),
  ),
});
const count = fc.nat({ max: 5_000 });
const usage: fc.Arbitrary<Usage> = fc
  .record(
    Object.fromEntries(billingUnits.map(({ name }) => [name, count])) as {
      [name in keyof UnitCounts]: fc.Arbitrary<number>;
    },
  )
  .map((counts) => ({
    ...counts,
    inputTokens: counts.inputTokens + counts.audioInputTokens,
    outputTokens: counts.outputTokens + counts.reasoningTokens + counts.audioOutputTokens,
    cacheWriteTokens: counts.cacheWriteTokens + counts.longCacheWriteTokens,
    source: "reported" as const,
  }));

test("the lines of a call sum to its cost for any usage and price", () => {
  fc.assert(
    fc.property(usage, price, (used, charged) => {
      const cost = priceCall(used, charged);
      const lines = listCostLines(used, charged, cost);
      expect(lines.reduce((sum, { amount }) => sum + amount, 0n)).toBe(cost);
      for (const { amount, count: units, ratePerMillion } of lines) {
        // The amount is within one nano-USD of the expected amount, including fractions of a second of audio.
        const exact = (Number(ratePerMillion) * units) / 1_000_000;
        expect(Math.abs(Number(amount) - exact)).toBeLessThanOrEqual(1 + exact * 1e-9);
      }
    }),
  );
});

test("each line has a count and a rate, and unused units have no line", () => {
  const charged = tokenPrice(150_000n, 600_000n, { cacheRead: 75_000n });
  const used = { ...NO_USAGE, inputTokens: 1_000, cacheReadTokens: 200, outputTokens: 50, reasoningTokens: 20 };
  expect(listCostLines(used, charged, priceCall(used, charged))).toEqual([
    { unit: "input", count: 1_000, ratePerMillion: 150_000_000n, amount: 150_000n },
    { unit: "cached_input", count: 200, ratePerMillion: 75_000_000n, amount: 15_000n },
    { unit: "output", count: 30, ratePerMillion: 600_000_000n, amount: 18_000n },
    { unit: "reasoning", count: 20, ratePerMillion: 600_000_000n, amount: 12_000n },
  ]);
  expect(listCostLines(used, null, 0n).map(({ ratePerMillion, amount }) => [ratePerMillion, amount])).toEqual(
    Array.from({ length: 4 }, () => [null, 0n]),
  );
});
