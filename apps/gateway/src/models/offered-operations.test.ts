import { unknownCapabilities } from "@tollgate/catalog/model-capabilities.ts";
import { describe, expect, test } from "vitest";
import type { Provider } from "../call/provider.ts";
import { providers } from "../providers/registry.ts";
import { offeredOperations } from "./offered-operations.ts";

const modelOf = (mode: string | null) => ({ mode, capabilities: unknownCapabilities, configuredParams: null });

const isNative = (
  name: string,
  apiBase: string | null,
  apiVersion: string | null = null,
  mode: string | null = null,
) => {
  const provider = providers.get(name) as Provider;
  const { responses } = offeredOperations(provider, "model", modelOf(mode), [], { apiBase, apiVersion });
  expect(responses).toBeDefined();
  return responses?.translation === provider.translations.responses;
};

describe("responses operation", () => {
  test("is native on upstreams that support it, and uses chat on all other upstreams", () => {
    expect(isNative("openai", null)).toBe(true);
    expect(isNative("openai", "https://eu.api.openai.com/v1")).toBe(true);
    expect(isNative("openai", "http://localhost:8000/v1")).toBe(false);
    expect(isNative("openai", "https://notopenai.com/v1")).toBe(false);
    expect(isNative("azure", "https://x.openai.azure.com")).toBe(true);
    expect(isNative("azure", "https://x.openai.azure.com", "preview")).toBe(true);
    expect(isNative("azure", "https://x.openai.azure.com", "2024-10-21")).toBe(false);
    expect(isNative("anthropic", null)).toBe(false);
  });

  test("is native on any OpenAI-compatible upstream if the model's mode is responses", () => {
    expect(isNative("openai", "http://localhost:8000/v1", null, "responses")).toBe(true);
    expect(isNative("openai_compatible", "http://localhost:8000/v1", null, "responses")).toBe(true);
    expect(isNative("openai_compatible", "http://localhost:8000/v1")).toBe(false);
  });
});
