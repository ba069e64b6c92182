import { describe, expect, test } from "vitest";
import { describeCapabilities } from "./capabilities.ts";
import { loadCatalog } from "./catalog.ts";
import type { Model } from "./model.ts";

const catalog = loadCatalog();

function get(name: string): Model {
  const model = catalog.find([name]);
  if (!model) throw new Error(`not in the catalog: ${name}`);
  return model;
}

test("the catalog is loaded only once", () => {
  expect(loadCatalog()).toBe(catalog);
});

describe("well-known models", () => {
  test.each([
    ["openai/gpt-4o", 128_000, 16_384, { input: 2_500_000n, output: 10_000_000n, cacheRead: 1_250_000n }],
    ["openai/gpt-4o-mini", 128_000, 16_384, { input: 150_000n, output: 600_000n, cacheRead: 75_000n }],
    ["anthropic/claude-3-haiku-20240307", 200_000, 4096, { input: 250_000n, output: 1_250_000n, cacheRead: 30_000n }],
    ["gemini/gemini-2.5-pro", 1_048_576, 65_535, { input: 1_250_000n, output: 10_000_000n, cacheRead: 125_000n }],
    ["openai/text-embedding-3-small", 8191, null, { input: 20_000n, output: 0n }],
  ])("%s has the expected limits and prices", (id, maxInputTokens, maxOutputTokens, prices) => {
    expect(get(id)).toMatchObject({ id, maxInputTokens, maxOutputTokens, prices, free: null });
  });

  test("a long prompt has its own price tier", () => {
    expect(get("gemini/gemini-2.5-pro").prices.tiers).toEqual([
      { aboveInputTokens: 200_000, prices: { input: 2_500_000n, output: 15_000_000n, cacheRead: 250_000n } },
    ]);
  });

  test("conditions and fees have their own prices", () => {
    const hours = { name: "peak hours", timeZone: "UTC", days: [1, 2, 3, 4, 5], fromMinute: 60, toMinute: 240 };
    expect(get("deepseek/deepseek-v4-flash").prices).toMatchObject({ input: 220_000n, output: 660_000n });
    expect(get("deepseek/deepseek-v4-flash").prices.rules).toContainEqual({
      when: { hours },
      prices: { input: 440_000n, output: 1_320_000n, cacheRead: 14_000n },
    });
    expect(get("openai/gpt-5").prices.rules).toContainEqual({
      when: { serviceTier: "priority" },
      prices: { input: 2_500_000n, output: 20_000_000n, cacheRead: 250_000n },
    });
    expect(get("openai/gpt-5").prices).toMatchObject({
      perWebSearch: 10_000_000_000n,
      perCodeSession: 30_000_000_000n,
    });
    expect(get("anthropic/claude-sonnet-4-5").prices).toMatchObject({ longCacheWrite: 6_000_000n });
    expect(get("gemini/gemini-3-pro-preview").prices.perWebSearch).toBe(14_000_000_000n);
    expect(get("perplexity/sonar").prices.rules).toContainEqual({
      when: { searchContext: "high" },
      prices: { perWebSearch: 12_000_000_000n },
    });
  });

  test("describeCapabilities uses the field names of model information", () => {
    expect(describeCapabilities(get("openai/gpt-4o"))).toEqual({
      supports_vision: true,
      supports_function_calling: true,
      supports_parallel_function_calling: true,
      supports_response_schema: true,
      supports_web_search: false,
      supports_reasoning: false,
    });
  });
});

describe("find", () => {
  test("returns the first known name in the caller's order", () => {
    expect(catalog.find(["azure/my-deployment", "openai/gpt-4o", "gpt-4o-mini"])?.id).toBe("openai/gpt-4o");
    expect(catalog.find(["azure/gpt-4o", "openai/gpt-4o"])?.id).toBe("azure/gpt-4o");
    expect(catalog.find(["no/such", "nothing"])).toBeUndefined();
    expect(catalog.find([])).toBeUndefined();
  });

  test("resolves a bare name to its maker's model, never to another host's", () => {
    expect(get("gpt-4o").id).toBe("openai/gpt-4o");
    expect(get("anthropic.claude-3-haiku-20240307-v1:0").provider).toBe("bedrock");
    expect(get("ollama/llama3").free).toBe("self-hosted");
    expect(catalog.find(["llama3"])).toBeUndefined();
    expect(catalog.find(["echo"])).toBeUndefined();
  });

  test("never looks up a full name at another provider", () => {
    expect(catalog.find(["vertex_ai/xai/grok-4.20-reasoning"])?.provider).toBe("vertex_ai");
    expect(catalog.find(["meta/llama-3.1-405b-instruct-maas"])).toBeUndefined();
    expect(catalog.find(["openai/sim/echo"])).toBeUndefined();
  });

  test("finds a simulated model regardless of its parameters", () => {
    expect(get("sim/lorem?tokens=200&tps=80").id).toBe("sim/lorem");
    expect(catalog.find(["openai/gpt-4o?tokens=200"])).toBeUndefined();
  });
});

describe("simulated models", () => {
  test("have a free reason, except the model that demonstrates billing", () => {
    const models = catalog.modelsOfProvider("sim");
    expect(models.map(({ model }) => model).join(" ")).toBe(
      "cut echo embed error image json lorem moderation paid rerank slow speech tools transcribe vision",
    );
    for (const model of models.filter(({ id }) => id !== "sim/paid")) {
      expect(model).toMatchObject({ free: "simulated", prices: { input: 0n, output: 0n } });
    }
    expect(get("sim/paid")).toMatchObject({ free: null, prices: { input: 1_000_000n, output: 4_000_000n } });
  });
});

describe("providers", () => {
  test("are sorted, and so are their models", () => {
    const providers = catalog.providers();
    expect(providers).toEqual([...providers].sort());
    expect(providers).toEqual(
      expect.arrayContaining(["anthropic", "azure", "bedrock", "gemini", "openai", "vertex_ai"]),
    );
    const ids = catalog.modelsOfProvider("openai").map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(ids.every((id) => id.startsWith("openai/"))).toBe(true);
    expect(catalog.modelsOfProvider("unknown")).toEqual([]);
  });

  test.each([
    ["gpt-4o", "openai"],
    ["claude-sonnet-4-5", "anthropic"],
    ["gemini-2.5-pro", "vertex_ai"],
    ["gemini-2.5-flash-preview-tts", "gemini"],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock"],
    ["command-r-plus", "cohere"],
    ["mistral-large-latest", "mistral"],
    ["deepseek-chat", "deepseek"],
    ["grok-4", "xai"],
    ["sonar-pro", "perplexity"],
  ])("are inferred from bare names: %s is served by %s", (name, provider) => {
    expect(catalog.inferProvider(name)).toBe(provider);
  });

  test("are inferred from the family name for models newer than the catalog", () => {
    expect(catalog.inferProvider("gpt-99-preview")).toBe("openai");
    expect(catalog.inferProvider("claude-sonnet-99")).toBe("anthropic");
    expect(catalog.inferProvider("o9-mini")).toBe("openai");
  });

  test("are not inferred from an unknown name or a name that includes a provider", () => {
    expect(catalog.inferProvider("my-model")).toBeUndefined();
    expect(catalog.inferProvider("llama3")).toBeUndefined();
    expect(catalog.inferProvider("xai/grok-4.20-reasoning")).toBeUndefined();
  });
});
