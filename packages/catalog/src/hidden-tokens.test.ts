import { expect, test } from "vitest";
import { loadCatalog } from "./catalog.ts";
import { billsHiddenTokens } from "./hidden-tokens.ts";
import type { Model } from "./model.ts";

const catalog = loadCatalog();

test.each([
  ["openai/o3", true],
  ["openai/gpt-5", true],
  ["openai/gpt-4o-audio-preview", true],
  ["openai/gpt-image-1", true],
  ["openai/gpt-4o", null],
  ["openai/gpt-4-turbo", false],
  ["anthropic/claude-3-haiku-20240307", false],
  ["openai/text-embedding-3-small", false],
  ["openai/gpt-4o-search-preview", null],
])("%s bills hidden tokens: %s", (id, expected) => {
  expect(billsHiddenTokens(catalog.find([id]) as Model)).toBe(expected);
});

test("no model with reasoning support is listed as free of hidden tokens", () => {
  const models = catalog.providers().flatMap((provider) => catalog.modelsOfProvider(provider));
  const wrong = models.filter((model) => model.supports.includes("reasoning") && billsHiddenTokens(model) !== true);
  expect(wrong.map(({ id }) => id)).toEqual([]);
});
