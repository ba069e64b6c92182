import fc from "fast-check";
import { expect, test } from "vitest";
import { mapPrices } from "./billing-units.ts";
import {
  InvalidPriceRule,
  readFixedPrice,
  readStoredPriceRules,
  type StoredPriceRule,
  writeFixedPrice,
  writeStoredPriceRules,
} from "./stored-price-rules.ts";

test("converts conditions and prices to pico-USD", () => {
  const rules: readonly StoredPriceRule[] = [
    { serviceTier: "priority", inputPerMillionTokens: 2_500_000_000, perWebSearch: 10_000_000 },
    { aboveInputTokens: 200_000, cachedInputPerMillionTokens: 1_000 },
    {
      hours: { name: "peak hours", timeZone: "Asia/Shanghai", days: [1, 5], from: "09:00", to: "18:30" },
      outputPerMillionTokens: 1_320_000_000,
    },
  ];
  expect(readStoredPriceRules(rules)).toEqual([
    { when: { serviceTier: "priority" }, prices: { input: 2_500_000n, perWebSearch: 10_000_000_000n } },
    { when: { aboveInputTokens: 200_000 }, prices: { cacheRead: 1n }, tier: null },
    {
      when: {
        hours: { name: "peak hours", timeZone: "Asia/Shanghai", days: [1, 5], fromMinute: 540, toMinute: 1_110 },
      },
      prices: { output: 1_320_000n },
    },
  ]);
});

const hours = { name: "peak hours", from: "09:00", to: "18:00" };

test.for<[StoredPriceRule, string]>([
  [{ inputPerMillionTokens: 1_000 }, "0"],
  [{ region: "us" }, "0"],
  [{ region: "us", inputPerMillionTokens: 1_001 }, "0.inputPerMillionTokens"],
  [{ hours: { ...hours, timeZone: "Mars" }, perRequest: 1 }, "0.hours.timeZone"],
  [{ hours: { ...hours, days: [0] }, perRequest: 1 }, "0.hours.days"],
  [{ hours: { ...hours, to: "24:00" }, perRequest: 1 }, "0.hours.to"],
])("rejects %j", ([rule, field]) => {
  expect(() => readStoredPriceRules([rule])).toThrow(InvalidPriceRule);
  expect(() => readStoredPriceRules([rule])).toThrow(expect.objectContaining({ field }));
});

test("rejects more rules than a card can have", () => {
  const rule = { region: "us", perRequest: 1 };
  expect(() => readStoredPriceRules(Array.from({ length: 31 }, () => rule))).toThrow("at most 30 rules");
});

test("rules can be stored and read again, and prices for long prompts are a rule of their own", () => {
  const peak = { name: "peak hours", timeZone: "UTC", days: [1, 2], fromMinute: 60, toMinute: 245 };
  const tier = { aboveInputTokens: 200_000, input: 4n, output: 9n, cacheRead: null, cacheWrite: null };
  const rules = [
    { when: { serviceTier: "flex" }, prices: { input: 2n, output: 5n }, tier },
    { when: { hours: peak }, prices: { cacheRead: 1n, perWebSearch: 14_000_000_000n } },
  ];
  expect(readStoredPriceRules(writeStoredPriceRules(rules))).toEqual([
    { when: { serviceTier: "flex" }, prices: { input: 2n, output: 5n } },
    { when: { serviceTier: "flex", aboveInputTokens: 200_000 }, prices: { input: 4n, output: 9n }, tier: null },
    { when: { hours: peak }, prices: { cacheRead: 1n, perWebSearch: 14_000_000_000n } },
  ]);
});

test("a fixed price can be stored and read again, with every unit", () => {
  const anyPrices = fc.record(
    mapPrices(({ price }) =>
      // Prices per million units are in nano-USD, and other prices too.
      fc.bigInt({ min: 0n, max: 1_000_000n }).map((amount) => (isPerMillion(price) ? amount : amount * 1_000n)),
    ),
    { requiredKeys: [] },
  );
  const named = anyPrices.filter((prices) => Object.keys(prices).length > 0);
  fc.assert(
    fc.property(named, named, (prices, conditional) => {
      const fixed = { prices, rules: [{ when: { serviceTier: "flex" }, prices: conditional }] };
      const stored = JSON.parse(JSON.stringify(writeFixedPrice(fixed)));
      expect(readFixedPrice(stored)).toEqual(fixed);
    }),
  );
});

const isPerMillion = (price: string) => !price.startsWith("per") || price === "perCharacter";

test("rejects a fixed price without a rate, or with a rate that isn't exact", () => {
  expect(() => readFixedPrice({})).toThrow(expect.objectContaining({ field: "" }));
  expect(() => readFixedPrice({ inputPerMillionTokens: 1 })).toThrow(
    expect.objectContaining({ field: "inputPerMillionTokens" }),
  );
  const rule = { serviceTier: "flex", perRequest: 1 };
  expect(() => readFixedPrice({ perRequest: 1, rules: Array.from({ length: 11 }, () => rule) })).toThrow("at most 10");
});
