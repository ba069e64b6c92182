import { expect, test } from "vitest";
import { anthropicHeaders } from "./client-headers.ts";

const tier = { aboveInputTokens: 200_000 };
const facts = (maxInputTokens: number | null) => ({ maxInputTokens, maxOutputTokens: null });

test.for([
  ["with a price and a context window for them", { price: { tier }, facts: facts(1_000_000) }, true],
  ["with a price, if the context window is unknown", { price: { tier }, facts: facts(null) }, true],
  // A hold and the check of a report would end at the smaller window, and most of the prompt would be free.
  ["with a context window that ends below them", { price: { tier }, facts: facts(200_000) }, false],
  ["without a price for them", { price: { tier: null }, facts: facts(1_000_000) }, false],
] as const)("long prompts are accepted on a deployment: %s", ([, target, isAccepted]) => {
  expect(anthropicHeaders["anthropic-beta"]?.("context-1m-2025-08-07", target)).toBe(isAccepted);
});
