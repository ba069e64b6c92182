import { expect, test } from "vitest";
import type { CatalogFile, ModelRecord } from "../src/model.ts";
import { buildCatalog } from "./build-catalog.ts";

const edition = { version: "2026-08.9", pricesAt: new Date("2026-08-31T12:00:00Z") };

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
];
const facts = (order: readonly object[]): string => order.map((line) => JSON.stringify(line)).join("\n");

const text = buildCatalog(facts(lines), edition);
const models = (JSON.parse(text) as CatalogFile).models;
const get = (id: string): ModelRecord | undefined => models.find((model) => model.id === id);

test("the same lines in any order produce the same bytes", () => {
  expect(buildCatalog(facts(lines), edition)).toBe(text);
  expect(buildCatalog(facts(lines.toReversed()), edition)).toBe(text);
});

test("excludes rows that are not models and adds the simulated models", () => {
  const ids = models.map(({ id }) => id).filter((id) => !id.startsWith("sim/"));
  expect(ids).toEqual([
    "azure/speech",
    "deepseek/fixture",
    "ollama/big:9b-cloud",
    "ollama/llama3",
    "openai/gpt-4o",
    "openai/gpt-4o-mini",
    "openai/picture",
    "vertex_ai/gemini-x",
  ]);
  expect(get("sim/echo")).toMatchObject({ free: "simulated", prices: { input: 0, output: 0 } });
});

test("the second source adds missing prices if it agrees with the first, and disagreements are listed for review", () => {
  expect(get("openai/gpt-4o")?.prices).toEqual({ input: 2_500_000, output: 10_000_000, cacheRead: 1_250_000 });
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
  expect(() => buildCatalog(facts([{ ...line, mode: "dance" }]), edition)).toThrow("unknown mode: dance");
  expect(() => buildCatalog(facts([{ ...line, picoUsdPerToken: { smell: 1 } }]), edition)).toThrow(
    "unknown price: smell",
  );
});
