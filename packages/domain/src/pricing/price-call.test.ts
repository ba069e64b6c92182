import fc from "fast-check";
import { expect, test } from "vitest";
import { countedUnits } from "./billing-units.ts";
import { type Price, priceCall } from "./price-call.ts";
import { anyPico, pricesOf, usagesUpTo } from "./prices.fixture.ts";
import { tokenPrice } from "./token-price.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const anyPrice = pricesOf(anyPico);
const anyUsage = usagesUpTo(2 ** 33);

/**
 * Lists the count and rate of every unit. Rates are in thousandths of a pico-USD, and audio is counted in milliseconds.
 */
function linesOf(used: Usage, at: Price): readonly (readonly [count: number, picoThousandths: bigint])[] {
  const prompt = used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens;
  const long = at.tier !== null && prompt > at.tier.aboveInputTokens ? at.tier : null;
  const input = long?.input ?? at.input;
  const output = long?.output ?? at.output;
  const cacheWrite = long?.cacheWrite ?? at.cacheWrite ?? input;
  return [
    [used.inputTokens - used.audioInputTokens, 1_000n * input],
    [used.audioInputTokens, 1_000n * (at.audioInput ?? input)],
    [used.cacheReadTokens, 1_000n * (long?.cacheRead ?? at.cacheRead ?? input)],
    [used.cacheWriteTokens - used.longCacheWriteTokens, 1_000n * cacheWrite],
    [used.longCacheWriteTokens, 1_000n * (long?.longCacheWrite ?? at.longCacheWrite ?? cacheWrite)],
    [used.outputTokens - used.reasoningTokens - used.audioOutputTokens, 1_000n * output],
    [used.audioOutputTokens, 1_000n * (at.audioOutput ?? output)],
    [used.reasoningTokens, 1_000n * (at.reasoning ?? output)],
    ...countedUnits.map(
      ({ name, price, countsPerPrice }) => [used[name], (1_000n / BigInt(countsPerPrice)) * (at[price] ?? 0n)] as const,
    ),
  ];
}

test("the cost is the exact price of every unit, rounded half-up to the nano-USD once", () => {
  fc.assert(
    fc.property(anyUsage, anyPrice, (used, at) => {
      const exact = linesOf(used, at).reduce((sum, [count, each]) => sum + BigInt(count) * each, 0n);
      const twiceOff = 2n * (priceCall(used, at) * 1_000_000n - exact);
      // The cost is at most half a nano-USD off, and ties round up.
      expect(twiceOff > -1_000_000n && twiceOff <= 1_000_000n).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("a token type without its own price costs the same as the type it is part of", () => {
  fc.assert(
    fc.property(anyUsage, anyPico, anyPico, (used, input, output) => {
      const same = {
        cacheRead: input,
        cacheWrite: input,
        longCacheWrite: input,
        reasoning: output,
        audioInput: input,
        audioOutput: output,
        tier: { aboveInputTokens: 1_000, input, output, cacheRead: input, cacheWrite: input },
      };
      expect(priceCall(used, tokenPrice(input, output, same))).toBe(priceCall(used, tokenPrice(input, output)));
    }),
  );
});

test("units without a price are free", () => {
  fc.assert(
    fc.property(anyUsage, anyPico, anyPico, (used, input, output) => {
      const plain = { ...used, ...Object.fromEntries(countedUnits.map(({ name }) => [name, 0])) };
      expect(priceCall(used, tokenPrice(input, output))).toBe(priceCall(plain, tokenPrice(input, output)));
    }),
  );
});

test.for([
  [499n, 0n],
  [500n, 1n],
  [1_499n, 1n],
  [1_500n, 2n],
] as const)("a cost of %d pico-USD is rounded to %d nano-USD", ([input, cost]) => {
  expect(priceCall({ ...NO_USAGE, inputTokens: 1 }, tokenPrice(input, 0n))).toBe(cost);
});

test("cached tokens are charged once, at their own price", () => {
  const at = tokenPrice(2_500_000n, 10_000_000n, { cacheRead: 1_250_000n });
  const used = { ...NO_USAGE, inputTokens: 1_000, cacheReadTokens: 3_000, outputTokens: 100, reasoningTokens: 60 };
  expect(priceCall(used, at)).toBe(2_500_000n + 3_750_000n + 1_000_000n);
});

test("milliseconds of audio are rounded only in the total", () => {
  // 0.6 pico-USD for the audio and 499 for the prompt are just below half a nano-USD. One more token exceeds that.
  const at = tokenPrice(1n, 0n, { perSecond: 1n });
  expect(priceCall({ ...NO_USAGE, inputTokens: 499, audioMs: 600 }, at)).toBe(0n);
  expect(priceCall({ ...NO_USAGE, inputTokens: 499, audioMs: 999 }, at)).toBe(0n);
  expect(priceCall({ ...NO_USAGE, inputTokens: 499, audioMs: 1_000 }, at)).toBe(1n);
  // One minute with a model that costs 0.006 USD per minute.
  expect(priceCall({ ...NO_USAGE, audioMs: 60_000 }, tokenPrice(0n, 0n, { perSecond: 100_000_000n }))).toBe(6_000_000n);
});

test("if the prompt, including cached tokens, exceeds a tier's threshold, the tier applies to the whole call", () => {
  const tier = { aboveInputTokens: 200_000, input: 4_000n, output: 8_000n, cacheRead: null, cacheWrite: null };
  const at = tokenPrice(2_000n, 5_000n, { cacheRead: 1_000n, tier });
  const used = { ...NO_USAGE, inputTokens: 100_000, cacheReadTokens: 100_000, outputTokens: 10 };
  expect(priceCall(used, at)).toBe(200_000n + 100_000n + 50n);
  expect(priceCall({ ...used, inputTokens: 100_001 }, at)).toBe(400_004n + 100_000n + 80n);
});

test("more usage never costs less", () => {
  const counters = [
    "inputTokens",
    "cacheReadTokens",
    "cacheWriteTokens",
    "outputTokens",
    "characters",
    "audioMs",
    "images",
  ] as const;
  // A tier may make a long prompt cheaper than a short one.
  const withoutTier = anyPrice.map((price) => ({ ...price, tier: null }));
  fc.assert(
    fc.property(anyUsage, withoutTier, fc.constantFrom(...counters), fc.nat(1_000), (used, at, name, more) => {
      expect(priceCall({ ...used, [name]: used[name] + more }, at)).toBeGreaterThanOrEqual(priceCall(used, at));
    }),
  );
});
