import { expect, test } from "vitest";
import type { CatalogFile, ModelRecord } from "../src/model.ts";
import { buildCatalog, type Edition } from "./build-catalog.ts";

const edition: Edition = {
  version: "2026-08.9",
  pricesAt: new Date("2026-08-31T12:00:00Z"),
  sources: {
    list: { name: "A list", asOf: "2026-08-31" },
    other: { name: "Another list", asOf: "2026-08-30" },
  },
};

const lines = [
  { provider: "openai", model: "gpt-4o", mode: "chat", picoUsdPerToken: { input: 2_500_000, output: 10_000_000 } },
  { provider: "openai", model: "gpt-4o-mini", mode: "chat", picoUsdPerToken: { input: 1, output: 600_000 } },
  {
    provider: "vertex_ai-language-models",
    model: "gemini-x",
    mode: "chat",
    context: 9,
    maxOutput: 0,
    supports: ["vision"],
  },
  { provider: "vertex_ai", model: "vertex_ai/gemini-x", mode: "chat", context: 1000, supports: ["reasoning"] },
  { provider: "deepseek", model: "fixture", mode: "chat", picoUsdPerToken: { input: 3, output: 4 } },
  { provider: "deepseek", model: "deepseek/fixture", mode: "chat", picoUsdPerToken: { input: 5 } },
  { provider: "openai", model: "picture", mode: "image_generation" },
  {
    provider: "openai",
    model: "hd/1024-x-1792/picture",
    mode: "image_generation",
    nanoUsdPerUnit: { inputImage: 250 },
  },
  { provider: "azure", model: "azure/speech", mode: "audio_transcription", nanoUsdPerUnit: { inputSecond: 277_777.8 } },
  { provider: "ollama", model: "ollama/llama3", mode: "chat", picoUsdPerToken: { input: 0, output: 0 } },
  { provider: "ollama", model: "ollama/big:9b-cloud", mode: "chat", picoUsdPerToken: { input: 0, output: 0 } },
  { provider: "together_ai", model: "together-ai-up-to-4b", mode: "chat", picoUsdPerToken: { input: 1, output: 1 } },
  { provider: "fireworks_ai", model: "fireworks_ai/accounts/", mode: "embedding" },
  {
    provider: "deepseek",
    model: "deepseek-v4-flash",
    mode: "chat",
    context: 1000,
    maxOutput: 80,
    picoUsdPerToken: { input: 140_000, output: 280_000 },
  },
  { provider: "openai", model: "painter", mode: "image_generation" },
  { provider: "openai", model: "gpt-x", mode: "chat" },
  { provider: "anthropic", model: "claude-x", mode: "chat" },
  { provider: "bedrock_converse", model: "claude-y", mode: "chat" },
];
const facts = (order: readonly object[]): string => order.map((line) => JSON.stringify(line)).join("\n");

/** LiteLLM's price list. DeepSeek's price at peak hours is also in the second source. */
const priceList = JSON.stringify({
  "deepseek-v4-flash": {
    max_input_tokens: 900,
    max_output_tokens: 500,
    input_cost_per_token: 4.4e-7,
    output_cost_per_token: 1.32e-6,
    cache_read_input_token_cost: 1.4e-8,
    cache_creation_input_token_cost: 0,
  },
  "openai/container": { code_interpreter_cost_per_session: 0.03 },
  painter: {
    litellm_provider: "openai",
    mode: "image_generation",
    input_cost_per_token: 5e-6,
    output_cost_per_token: 1e-5,
    output_cost_per_image_token: 3.2e-5,
  },
  "gpt-x": {
    litellm_provider: "openai",
    mode: "chat",
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
    cache_read_input_token_cost: 1e-7,
    input_cost_per_token_above_272k_tokens: 2e-6,
    output_cost_per_token_above_272k_tokens: 3e-6,
    input_cost_per_token_flex: 5e-7,
    output_cost_per_token_flex: 1e-6,
    input_cost_per_token_above_272k_tokens_flex: 1e-6,
    input_cost_per_token_priority: 4e-6,
    output_cost_per_token_priority: 8e-6,
    input_cost_per_token_batches: 5e-7,
    regional_processing_uplift_multiplier_eu: 1.1,
    search_context_cost_per_query: {
      search_context_size_low: 0.01,
      search_context_size_medium: 0.01,
      search_context_size_high: 0.02,
    },
  },
  "claude-x": {
    litellm_provider: "anthropic",
    mode: "chat",
    input_cost_per_token: 5e-6,
    output_cost_per_token: 2.5e-5,
    cache_creation_input_token_cost_above_1hr: 1e-5,
    provider_specific_entry: { us: 1.1, fast: 6 },
  },
  "claude-y": {
    litellm_provider: "bedrock_converse",
    mode: "chat",
    input_cost_per_token: 5e-6,
    output_cost_per_token: 2.5e-5,
    search_context_cost_per_query: { search_context_size_medium: 0.01 },
  },
});

const text = buildCatalog(facts(lines), priceList, edition);
const models = (JSON.parse(text) as CatalogFile).models;
const get = (id: string): ModelRecord | undefined => models.find((model) => model.id === id);

test("the same lines in any order produce the same bytes", () => {
  expect(buildCatalog(facts(lines), priceList, edition)).toBe(text);
  expect(buildCatalog(facts(lines.toReversed()), priceList, edition)).toBe(text);
});

test("excludes rows that are not models and adds the simulated models", () => {
  const ids = models.map(({ id }) => id).filter((id) => !id.startsWith("sim/"));
  expect(ids).toEqual([
    "anthropic/claude-x",
    "azure/speech",
    "bedrock/claude-y",
    "deepseek/deepseek-v4-flash",
    "deepseek/fixture",
    "ollama/big:9b-cloud",
    "ollama/llama3",
    "openai/gpt-4o",
    "openai/gpt-4o-mini",
    "openai/gpt-x",
    "openai/painter",
    "openai/picture",
    "vertex_ai/gemini-x",
  ]);
  expect(get("sim/echo")).toMatchObject({ free: "simulated", prices: { input: 0, output: 0 } });
});

test("the second source adds missing prices if it agrees with the first, and disagreements are listed for review", () => {
  expect(get("openai/gpt-4o")).toMatchObject({
    prices: { input: 2_500_000, output: 10_000_000, cacheRead: 1_250_000, perFileSearch: 2_500_000_000 },
    sources: { cacheRead: "other", perFileSearch: "other", perWebSearch: "other" },
  });
  expect(get("openai/gpt-4o")?.review).toBeUndefined();
  expect(get("openai/gpt-4o-mini")?.prices).toEqual({ input: 1, output: 600_000 });
  expect(get("openai/gpt-4o-mini")?.review).toContainEqual({ field: "input", first: 1, second: 150_000 });
});

test("merges two rows for one model, giving precedence to the row with the full name", () => {
  expect(get("vertex_ai/gemini-x")).toEqual({
    id: "vertex_ai/gemini-x",
    mode: "chat",
    maxInputTokens: 1000,
    supports: ["reasoning", "vision"],
  });
  expect(get("deepseek/fixture")).toMatchObject({
    prices: { input: 5, output: 4 },
    review: [{ field: "input", first: 5, second: 3 }],
  });
});

test("a row for an image size becomes a price of its model", () => {
  expect(get("openai/picture")?.prices).toEqual({ imageSizes: { "hd/1024x1792": 250_000 } });
});

test("the output of an image model costs the price of image tokens, and the text that it writes has its own price", () => {
  expect(get("openai/painter")?.prices).toEqual({ input: 5_000_000, output: 32_000_000, outputReasoning: 10_000_000 });
});

test("converts amounts per unit to whole pico-USD", () => {
  expect(get("azure/speech")?.prices).toEqual({ inputPerSecond: 277_777_800 });
});

test("a price of zero means free for a self-hosted model and unknown for a hosted model", () => {
  expect(get("ollama/llama3")).toMatchObject({ free: "self-hosted", prices: { input: 0, output: 0 } });
  expect(get("ollama/big:9b-cloud")?.free).toBeUndefined();
  expect(get("ollama/big:9b-cloud")?.prices).toBeUndefined();
});

test("an unknown mode or price field throws", () => {
  const line = { provider: "openai", model: "x", mode: "chat" };
  expect(() => buildCatalog(facts([{ ...line, mode: "dance" }]), "{}", edition)).toThrow("unknown mode: dance");
  expect(() => buildCatalog(facts([{ ...line, picoUsdPerToken: { smell: 1 } }]), "{}", edition)).toThrow(
    "unknown price: smell",
  );
});

test("the price list adds prices under conditions and fees, and a tier without a price for output is left out", () => {
  const tier = { aboveInputTokens: 272_000 };
  expect(get("openai/gpt-x")?.prices).toEqual({
    input: 1_000_000,
    output: 2_000_000,
    cacheRead: 100_000,
    perWebSearch: 10_000_000_000,
    perCodeSession: 30_000_000_000,
    tiers: [{ ...tier, prices: { input: 2_000_000, output: 3_000_000 } }],
    rules: [
      {
        when: { serviceTier: "flex" },
        prices: { input: 500_000, output: 1_000_000 },
        // The list has no price for the output of a long prompt, so it costs as much as in the base tier.
        tier: { ...tier, prices: { input: 1_000_000, output: 3_000_000 } },
      },
      { when: { serviceTier: "priority" }, prices: { input: 4_000_000, output: 8_000_000, cacheRead: 4_000_000 } },
      { when: { searchContext: "high" }, prices: { perWebSearch: 20_000_000_000 } },
      {
        when: { region: "eu" },
        prices: { input: 1_100_000, output: 2_200_000, cacheRead: 110_000 },
        tier: { ...tier, prices: { input: 2_200_000, output: 3_300_000 } },
      },
      {
        when: { serviceTier: "flex", region: "eu" },
        prices: { input: 550_000, output: 1_100_000 },
        tier: { ...tier, prices: { input: 1_100_000, output: 3_300_000 } },
      },
      {
        when: { serviceTier: "priority", region: "eu" },
        prices: { input: 4_400_000, output: 8_800_000, cacheRead: 4_400_000 },
      },
    ],
  });
});

test("Anthropic's fast mode and region are multiples of all token prices", () => {
  expect(get("anthropic/claude-x")?.prices?.rules).toEqual([
    { when: { serviceTier: "fast" }, prices: { input: 30_000_000, output: 150_000_000, longCacheWrite: 60_000_000 } },
    { when: { region: "us" }, prices: { input: 5_500_000, output: 27_500_000, longCacheWrite: 11_000_000 } },
    {
      when: { serviceTier: "fast", region: "us" },
      prices: { input: 33_000_000, output: 165_000_000, longCacheWrite: 66_000_000 },
    },
  ]);
});

test("Bedrock has no price for a web search, because it doesn't run one", () => {
  expect(get("bedrock/claude-y")?.prices).toEqual({ input: 5_000_000, output: 25_000_000 });
});

test("hours of the second source are used if the price list has one of their prices", () => {
  const hours = { name: "peak hours", timeZone: "UTC", days: [1, 2, 3, 4, 5] };
  const peak = { input: 440_000, output: 1_320_000, cacheRead: 14_000 };
  expect(get("deepseek/deepseek-v4-flash")).toEqual({
    id: "deepseek/deepseek-v4-flash",
    mode: "chat",
    maxInputTokens: 1000,
    maxOutputTokens: 500,
    prices: {
      input: 220_000,
      output: 660_000,
      cacheRead: 7_000,
      rules: [
        { when: { hours: { ...hours, fromMinute: 60, toMinute: 240 } }, prices: peak },
        { when: { hours: { ...hours, fromMinute: 360, toMinute: 600 } }, prices: peak },
      ],
    },
    sources: { input: "other", output: "other", cacheRead: "other", hours: "other" },
  });
});
