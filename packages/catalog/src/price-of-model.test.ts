import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { expect, test } from "vitest";
import { loadCatalog } from "./catalog.ts";
import type { Mode, Model } from "./model.ts";
import { imagePricesOf, priceOfModel, priceRulesOf } from "./price-of-model.ts";

const priceOf = (id: string) => {
  const model = loadCatalog().find([id]);
  if (model === undefined) throw new Error(`the catalog has no ${id}`);
  return priceOfModel(model);
};

test.for([
  [
    "openai/gpt-4o-mini",
    tokenPrice(150_000n, 600_000n, {
      cacheRead: 75_000n,
      perWebSearch: 10_000_000_000n,
      perFileSearch: 2_500_000_000n,
      perCodeSession: 30_000_000_000n,
    }),
  ],
  ["openai/whisper-1", tokenPrice(0n, 0n, { perSecond: 100_000_000n })],
  ["openai/tts-1", tokenPrice(0n, 0n, { perCharacter: 15_000_000n })],
  // The sources list prices per second and per output token, but the model is billed per second.
  ["openai/gpt-4o-mini-tts", tokenPrice(2_500_000n, 0n, { perSecond: 250_000_000n })],
  ["openai/gpt-4o-transcribe", tokenPrice(2_500_000n, 10_000_000n, { audioInput: 6_000_000n })],
  ["openai/dall-e-3", tokenPrice(0n, 0n, { perImage: 40_000_000_000n })],
  ["openai/gpt-image-1", tokenPrice(5_000_000n, 40_000_000n, { cacheRead: 1_250_000n })],
  // The text that this model writes costs less than its images.
  ["openai/gpt-image-1.5", tokenPrice(5_000_000n, 32_000_000n, { cacheRead: 1_250_000n, reasoning: 10_000_000n })],
  ["openai/chatgpt-image-latest", tokenPrice(5_000_000n, 40_000_000n, { cacheRead: 1_250_000n })],
  ["openai/omni-moderation-latest", tokenPrice(0n, 0n)],
  ["mistral/codestral-embed", tokenPrice(150_000n, 0n)],
  [
    "gemini/gemini-2.5-pro",
    tokenPrice(1_250_000n, 10_000_000n, {
      cacheRead: 125_000n,
      perWebSearch: 35_000_000_000n,
      tier: {
        aboveInputTokens: 200_000,
        input: 2_500_000n,
        output: 15_000_000n,
        cacheRead: 250_000n,
        cacheWrite: null,
      },
    }),
  ],
  // This model is billed per search, not per token.
  ["cohere/rerank-v3.5", tokenPrice(0n, 0n, { perSearch: 2_000_000_000n })],
  ["voyage/rerank-2.5", tokenPrice(50_000n, 0n)],
] as const)("%s has the price its provider charges", ([id, price]) => {
  expect(priceOf(id)).toEqual(price);
});

test("a chat model that is billed per character has no price", () => {
  expect(priceOf("vertex_ai/medlm-large")).toBeNull();
});

test("an image is billed by output tokens if they have a price, and otherwise by quality and size", () => {
  const model = loadCatalog().find(["openai/gpt-image-1"]);
  if (model === undefined) throw new Error("the catalog has no such model");
  expect(imagePricesOf(model).size).toBe(0);
  const { output: _, ...prices } = model.prices;
  const price = tokenPrice(5_000_000n, 0n, { cacheRead: 1_250_000n, perImage: 167_000_000_000n });
  expect(imagePricesOf({ prices }).get("high/1024x1024")).toEqual(price);
});

test("the price has the first tier for long prompts, and larger prompts have rules", () => {
  const tier = (aboveInputTokens: number, input: bigint) => ({ aboveInputTokens, prices: { input } });
  const prices = { input: 1n, output: 1n, tiers: [tier(5, 2n), tier(9, 3n)] };
  expect(priceOfModel({ mode: "chat", prices })).toMatchObject({ input: 1n, tier: { aboveInputTokens: 5, input: 2n } });
  expect(priceRulesOf({ prices })).toEqual([{ when: { aboveInputTokens: 9 }, prices: { input: 3n }, tier: null }]);
});

test("prices under conditions are rules", () => {
  const when = { serviceTier: "priority" };
  const tier = { aboveInputTokens: 5, prices: { output: 4n } };
  const prices = { input: 1n, output: 1n, rules: [{ when, prices: { input: 2n, perWebSearch: 3n }, tier }] };
  expect(priceRulesOf({ prices })).toMatchObject([
    { when, prices: { input: 2n, perWebSearch: 3n }, tier: { aboveInputTokens: 5, input: null, output: 4n } },
  ]);
});

test("nearly every model in every served mode has a price", () => {
  const catalog = loadCatalog();
  const all = catalog.providers().flatMap((provider) => catalog.modelsOfProvider(provider));
  const byMode = Map.groupBy(all, ({ mode }) => mode);
  const shareOf = (mode: Mode) => {
    const models = byMode.get(mode) ?? [];
    return models.filter((model) => priceOfModel(model) !== null).length / models.length;
  };
  for (const mode of ["chat", "completion", "embedding", "moderation", "audio_speech", "audio_transcription"] as const)
    expect({ mode, isPriced: shareOf(mode) > 0.89 }).toEqual({ mode, isPriced: true });
  expect(shareOf("image_generation")).toBeGreaterThan(0.89);
});

test("a search of OpenAI's earlier tool has its own price for models that don't reason", () => {
  const rulesOf = (id: string) =>
    priceRulesOf(loadCatalog().find([id]) as Model).flatMap(({ when, prices }) =>
      when.searchContext === "preview" ? [prices] : [],
    );
  for (const id of ["openai/gpt-4o", "openai/gpt-4o-mini", "azure/gpt-4.1"]) {
    expect(rulesOf(id), id).toEqual([{ perWebSearch: 25_000_000_000n }]);
  }
  // The first one reasons, and the others already have at least this price.
  for (const id of ["openai/gpt-5", "openai/gpt-4.1", "openai/gpt-4o-search-preview"]) {
    expect(rulesOf(id), id).toEqual([]);
  }
});

test("reasoning follows the output price of each rule, unless it has a price of its own", () => {
  const rules = [{ when: { region: "eu" }, prices: { input: 2n, output: 4n, outputReasoning: 4n } }];
  const usual = priceRulesOf({ prices: { input: 1n, output: 2n, outputReasoning: 2n, rules } });
  expect(usual).toEqual([{ when: { region: "eu" }, prices: { input: 2n, output: 4n } }]);
  const own = priceRulesOf({ prices: { input: 1n, output: 2n, outputReasoning: 3n, rules } });
  expect(own[0]?.prices).toEqual({ input: 2n, output: 4n, reasoning: 4n });
});

test("a long prompt is cached for one hour at the price of long prompts, even if no source lists it", () => {
  const priced = loadCatalog()
    .models()
    .flatMap((model) => priceOfModel(model) ?? []);
  const inTier = priced.filter(({ tier, longCacheWrite }) => tier !== null && longCacheWrite !== null);
  expect(inTier.length).toBeGreaterThan(8);
  for (const { tier, cacheWrite, longCacheWrite } of inTier) {
    const [write, long] = [tier?.cacheWrite ?? 0n, tier?.longCacheWrite ?? 0n];
    expect(long * (cacheWrite ?? 0n)).toBeGreaterThanOrEqual(write * (longCacheWrite ?? 0n));
  }
});
