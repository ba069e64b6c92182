import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { expect, test } from "vitest";
import { loadCatalog } from "./catalog.ts";
import type { Mode } from "./model.ts";
import { imagePricesOf, priceOfModel } from "./price-of-model.ts";

const priceOf = (id: string) => {
  const model = loadCatalog().find([id]);
  if (model === undefined) throw new Error(`the catalog has no ${id}`);
  return priceOfModel(model);
};

test.for([
  ["openai/gpt-4o-mini", tokenPrice(150_000n, 600_000n, { cacheRead: 75_000n })],
  ["openai/whisper-1", tokenPrice(0n, 0n, { perSecond: 100_000_000n })],
  ["openai/tts-1", tokenPrice(0n, 0n, { perCharacter: 15_000_000n })],
  // The sources list prices per second and per output token, but the model is billed per second.
  ["openai/gpt-4o-mini-tts", tokenPrice(2_500_000n, 0n, { perSecond: 250_000_000n })],
  ["openai/gpt-4o-transcribe", tokenPrice(2_500_000n, 10_000_000n, { audioInput: 2_500_000n })],
  ["openai/dall-e-3", tokenPrice(0n, 0n, { perImage: 40_000_000_000n })],
  ["openai/gpt-image-1", tokenPrice(5_000_000n, 40_000_000n, { cacheRead: 1_250_000n })],
  ["openai/omni-moderation-latest", tokenPrice(0n, 0n)],
  ["mistral/codestral-embed", tokenPrice(150_000n, 0n)],
  [
    "gemini/gemini-2.5-pro",
    tokenPrice(1_250_000n, 10_000_000n, {
      cacheRead: 125_000n,
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

test.for([
  ["vertex_ai/medlm-large", "it is a chat model that is billed per character"],
  ["openai/chatgpt-image-latest", "only its input tokens have a price"],
])("%s has no price, because %s", ([id]) => {
  expect(priceOf(id as string)).toBeNull();
});

test("an image is billed only by quality and size, not by output tokens", () => {
  const model = loadCatalog().find(["openai/gpt-image-1"]);
  if (model === undefined) throw new Error("the catalog has no such model");
  const prices = imagePricesOf(model);
  const price = tokenPrice(5_000_000n, 0n, { cacheRead: 1_250_000n, perImage: 167_000_000_000n });
  expect(prices.get("high/1024x1024")).toEqual(price);
  expect(prices.size).toBeGreaterThan(5);
});

test("a model with several tiers has no price, because only one tier is supported", () => {
  const tier = (aboveInputTokens: number) => ({ aboveInputTokens, prices: { input: 2n } });
  expect(priceOfModel({ mode: "chat", prices: { input: 1n, output: 1n, tiers: [tier(5), tier(9)] } })).toBeNull();
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
