import fc from "fast-check";
import { expect, test } from "vitest";
import type { Price } from "./price-call.ts";
import { priceVersionId } from "./price-version.ts";

const pico = fc.bigInt({ min: 0n, max: 100n });
const optional = fc.option(pico, { freq: 2 });
const price: fc.Arbitrary<Price> = fc.record({
  input: pico,
  output: pico,
  cacheRead: optional,
  cacheWrite: optional,
  reasoning: optional,
});
const model = fc.constantFrom("openai/fast", "openai/slow");

test("names two prices alike exactly when they say the same", () => {
  fc.assert(
    fc.property(model, price, model, price, (model, price, otherModel, otherPrice) => {
      const same =
        model === otherModel &&
        (Object.keys(price) as (keyof Price)[]).every((kind) => price[kind] === otherPrice[kind]);
      expect(priceVersionId(model, price) === priceVersionId(otherModel, otherPrice)).toBe(same);
      expect(priceVersionId(model, { ...price })).toBe(priceVersionId(model, price));
    }),
  );
});

test("keeps the name that stored prices already have", () => {
  const price = { input: 2_500_000n, output: 10_000_000n, cacheRead: 1_250_000n, cacheWrite: null, reasoning: null };
  expect(priceVersionId("openai/gpt-4o", price)).toBe("price_a8c6ae882df2a95f73157f25bae48df0");
});
