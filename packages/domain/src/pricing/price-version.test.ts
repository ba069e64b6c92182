import fc from "fast-check";
import { expect, test } from "vitest";
import { priceVersionId } from "./price-version.ts";
import { pricesOf } from "./prices.fixture.ts";
import { tokenPrice } from "./token-price.ts";

const anyPrice = pricesOf(fc.bigInt({ min: 0n, max: 3n }));
const model = fc.constantFrom("openai/fast", "openai/slow");

test("two prices have the same version ID only if they are equal", () => {
  const textOf = (value: unknown) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));
  fc.assert(
    fc.property(model, anyPrice, model, anyPrice, fc.boolean(), (model, price, otherModel, drawn, isCopy) => {
      const other = isCopy ? { ...price } : drawn;
      const same = model === otherModel && textOf(price) === textOf(other);
      expect(priceVersionId(model, price) === priceVersionId(otherModel, other)).toBe(same);
    }),
    { numRuns: 500 },
  );
});

test("every type of price changes the version ID", () => {
  const kinds = [
    {},
    { cacheRead: 1n },
    { cacheWrite: 1n },
    { reasoning: 1n },
    { audioInput: 1n },
    { audioOutput: 1n },
    { perCharacter: 1n },
    { perSecond: 1n },
    { perImage: 1n },
    { perWebSearch: 1n },
    { longCacheWrite: 1n },
    ...(["input", "output", "cacheRead", "cacheWrite"] as const).map((kind) => ({
      tier: { aboveInputTokens: 10, input: null, output: null, cacheRead: null, cacheWrite: null, [kind]: 1n },
    })),
    { tier: { aboveInputTokens: 11, input: 1n, output: null, cacheRead: null, cacheWrite: null } },
  ];
  const ids = kinds.map((more) => priceVersionId("openai/fast", tokenPrice(1n, 1n, more)));
  expect(new Set(ids).size).toBe(kinds.length);
});

test("the condition changes the version ID", () => {
  const ids = [null, "service tier flex", "peak hours"].map((condition) =>
    priceVersionId("openai/fast", tokenPrice(1n, 1n), condition),
  );
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toBe(priceVersionId("openai/fast", tokenPrice(1n, 1n)));
});

test("version IDs of stored prices do not change", () => {
  const price = tokenPrice(2_500_000n, 10_000_000n, { cacheRead: 1_250_000n });
  expect(priceVersionId("openai/gpt-4o", price)).toBe("price_a8c6ae882df2a95f73157f25bae48df0");
  const emptyTier = { aboveInputTokens: 200_000, input: null, output: null, cacheRead: null, cacheWrite: null };
  expect(priceVersionId("openai/gpt-4o", tokenPrice(price.input, price.output, { ...price, tier: emptyTier }))).toBe(
    "price_a8c6ae882df2a95f73157f25bae48df0",
  );
});
