import { expect, test } from "vitest";
import { loadCatalog } from "./catalog.ts";
import { maxImageTokens } from "./image-tokens.ts";

test.for([
  ["gpt-4o", 10_000],
  ["gpt-4o-mini", 48_169],
  ["claude-3-haiku-20240307", 10_000],
] as const)("an image has at most %s tokens", ([name, most]) => {
  const model = loadCatalog().find([name]);
  expect(model).toBeDefined();
  expect(model && maxImageTokens(model)).toBe(most);
});
