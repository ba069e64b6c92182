import type { CompletionRequest } from "@tollgate/contracts/completions/completion-request.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { describe, expect, test } from "vitest";
import type { Call } from "../../call/call.ts";
import type { Deployment } from "../../call/deployment.ts";
import { completionTranslation } from "../../providers/openai/completions.ts";
import { completions } from "./completions.ts";

const translation = completionTranslation({});
const deployment = {
  price: tokenPrice(1n, 4n),
  facts: { maxInputTokens: 1_000, maxOutputTokens: 500 },
  provider: { translations: { completions: translation } },
  offers: {
    completions: {
      translation,
      supportedParams: new Set(translation.supportedParams("x")),
      takesEveryParam: true,
    },
  },
  allowedParams: [],
  additionalDropParams: [] as readonly string[],
} as unknown as Deployment;

function boundOf(request: Partial<CompletionRequest>, target = deployment) {
  const body = { request: { prompt: "x", ...request }, dropped: new Set() };
  return completions.boundUsage({ operation: "completions", body } as unknown as Call<CompletionRequest>, target);
}

describe("usage bound for a completion hold", () => {
  test("covers every completion that the model may generate for each prompt", () => {
    expect(boundOf({})?.outputTokens).toBe(16);
    expect(boundOf({ max_tokens: 0 })?.outputTokens).toBe(0);
    expect(boundOf({ max_tokens: 10, n: 3 })?.outputTokens).toBe(30);
    expect(boundOf({ max_tokens: 10, n: 2, best_of: 5 })?.outputTokens).toBe(50);
    expect(boundOf({ max_tokens: 10, n: 3, prompt: ["a", "b"] })?.outputTokens).toBe(60);
    expect(boundOf({ max_tokens: 10, prompt: [[1], [2], [3]] })?.outputTokens).toBe(30);
    expect(boundOf({ max_tokens: 10, prompt: [1, 2, 3] })?.outputTokens).toBe(10);
  });

  test("is the model's max output tokens if max_tokens isn't sent", () => {
    const dropping = { ...deployment, additionalDropParams: ["max_tokens"] };
    expect(boundOf({ max_tokens: 10 }, dropping)?.outputTokens).toBe(500);
  });

  test("covers all prompt tokens, up to the context window for each prompt", () => {
    expect(boundOf({ prompt: [1, 2, 3] })?.inputTokens).toBeGreaterThanOrEqual(3);
    const long = "word ".repeat(10_000);
    const one = boundOf({ prompt: long })?.inputTokens ?? 0;
    expect(one).toBeLessThan(1_100);
    expect(boundOf({ prompt: [long, long] })?.inputTokens).toBeGreaterThanOrEqual(2_000);
  });

  test("is that of a chat if a chat model serves it", () => {
    const provider = { translations: {} } as Deployment["provider"];
    expect(boundOf({ max_tokens: 10 }, { ...deployment, provider })).toBeNull();
  });

  test("counts output as reasoning tokens if reasoning costs more", () => {
    const thinking = { ...deployment, price: tokenPrice(1n, 4n, { reasoning: 9n }) };
    expect(boundOf({ max_tokens: 10 }, thinking)).toMatchObject({ outputTokens: 10, reasoningTokens: 10 });
    expect(boundOf({ max_tokens: 10 })?.reasoningTokens).toBe(0);
  });
});
