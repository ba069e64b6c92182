import fc from "fast-check";
import { expect, test } from "vitest";
import { type Price, priceCall } from "./price-call.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const tokens = fc.integer({ min: 0, max: 1_000_000_000 });
const pico = fc.bigInt({ min: 0n, max: 10n ** 12n });
const usage: fc.Arbitrary<Usage> = fc
  .record({ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens, reasoning: tokens })
  .map(({ input, cacheRead, cacheWrite, output, reasoning }) => ({
    inputTokens: input,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    outputTokens: output,
    reasoningTokens: Math.min(reasoning, output),
    source: "reported",
  }));
const price: fc.Arbitrary<Price> = fc.record({
  input: pico,
  output: pico,
  cacheRead: fc.option(pico),
  cacheWrite: fc.option(pico),
  reasoning: fc.option(pico),
});

test("is the exact price rounded half-up to the nano-USD, once", () => {
  fc.assert(
    fc.property(usage, price, (used, at) => {
      const exactPico = [
        [used.inputTokens, at.input],
        [used.cacheReadTokens, at.cacheRead ?? at.input],
        [used.cacheWriteTokens, at.cacheWrite ?? at.input],
        [used.outputTokens - used.reasoningTokens, at.output],
        [used.reasoningTokens, at.reasoning ?? at.output],
      ].reduce((sum, [count, each]) => sum + BigInt(count as number) * (each as bigint), 0n);
      const twiceOff = 2n * (priceCall(used, at) * 1_000n - exactPico);
      // Half a nano-USD at most, and a tie goes up.
      expect(twiceOff > -1_000n && twiceOff <= 1_000n).toBe(true);
    }),
  );
});

test("a kind without a price of its own costs what the kind it is part of costs", () => {
  fc.assert(
    fc.property(usage, pico, pico, (used, input, output) => {
      const bare = priceCall(used, { input, output, cacheRead: null, cacheWrite: null, reasoning: null });
      expect(priceCall(used, { input, output, cacheRead: input, cacheWrite: input, reasoning: output })).toBe(bare);
    }),
  );
});

test.for([
  [499n, 0n],
  [500n, 1n],
  [1_499n, 1n],
  [1_500n, 2n],
] as const)("%d pico-USD cost %d nano-USD", ([input, cost]) => {
  const at = { input, output: 0n, cacheRead: null, cacheWrite: null, reasoning: null };
  expect(priceCall({ ...NO_USAGE, inputTokens: 1 }, at)).toBe(cost);
});

test("cached tokens are charged once, at their own price", () => {
  const at = { input: 2_500_000n, output: 10_000_000n, cacheRead: 1_250_000n, cacheWrite: null, reasoning: null };
  const used = { ...NO_USAGE, inputTokens: 1_000, cacheReadTokens: 3_000, outputTokens: 100, reasoningTokens: 60 };
  expect(priceCall(used, at)).toBe(2_500_000n + 3_750_000n + 1_000_000n);
});

test("more of anything never costs less", () => {
  const counter = fc.constantFrom("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens");
  fc.assert(
    fc.property(usage, price, counter, fc.nat(1_000), (used, at, name, more) => {
      expect(priceCall({ ...used, [name]: used[name as "inputTokens"] + more }, at)).toBeGreaterThanOrEqual(
        priceCall(used, at),
      );
    }),
  );
});
