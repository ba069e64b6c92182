import { expect, test } from "vitest";
import { emptyDraft, entryOf, ratesOf } from "./price-entry.ts";

test("a draft with a percentage applies to all other models if it names none", () => {
  const draft = { ...emptyDraft, percentage: "-12.5", perRequest: "0.001" };
  const entry = { model: "*", percentage: "-12.5", fixedPerRequest: 1_000_000n, price: null };
  expect(entryOf(draft)).toEqual(entry);
  expect(entryOf({ ...draft, percentage: "-101" })).toBe("Enter a percentage of at least -100");
});

test("a draft with fixed rates needs a model and exact amounts", () => {
  const draft = { ...emptyDraft, kind: "fixed", model: " fast ", rates: { inputPerMillionTokens: "2.5" } } as const;
  const price = { inputPerMillionTokens: 2_500_000_000 };
  expect(entryOf(draft)).toEqual({ model: "fast", percentage: null, fixedPerRequest: 0n, price });
  expect(entryOf({ ...draft, model: "" })).toBe("A fixed price requires a model group");
  expect(entryOf({ ...draft, rates: {} })).toBe("Enter at least one rate");
  expect(entryOf({ ...draft, rates: { inputPerMillionTokens: "0.0000001" } })).toBe("Enter valid amounts");
});

test("labels every rate of a fixed price", () => {
  expect(ratesOf({ inputPerMillionTokens: 1_000, perWebSearch: 5, rules: [] })).toEqual([
    { label: "Input per 1M tokens", nano: 1_000n },
    { label: "Per web search", nano: 5n },
  ]);
});
