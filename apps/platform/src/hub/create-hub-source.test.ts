import { openCatalog, readBuiltInCatalog, useCatalog } from "@tollgate/catalog/catalog.ts";
import type { CatalogFile } from "@tollgate/catalog/model.ts";
import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { afterEach, expect, test } from "vitest";
import { createHubSource } from "./create-hub-source.ts";

const settings = testSettings(`
model_list:
  - { model_name: cheap, litellm_params: { model: openai/gpt-4o-mini, rpm: 10, tpm: 1000 } }
  - { model_name: cheap, litellm_params: { model: anthropic/claude-sonnet-4-5, rpm: 5 } }
  - { model_name: owned, litellm_params: { model: openai/gpt-4o }, model_info: { team_id: team_x } }
  - { model_name: unknown, litellm_params: { model: openai_compatible/x, api_base: "https://secret.example/v1", api_key: sk-secret-0123456789 }, model_info: { access_groups: [inner] } }
  - { model_name: "vendor/*", litellm_params: { model: "openai/*" } }
router_settings:
  fallbacks: [{ cheap: [owned, unknown, vendor/new] }]
  model_group_alias: { alias: cheap, secret-alias: { model: cheap, hidden: true } }
general_settings: { enable_public_model_hub: true }
`);
const source = createHubSource(servedModels, () => settings);
const byId = new Map(source.list([]).map((group) => [group.id, group]));

test("a group combines its deployments' providers and limits, and lists the parameters that all deployments support", () => {
  const cheap = byId.get("cheap");
  expect(cheap).toMatchObject({
    providers: ["openai", "anthropic"],
    rpm: 15,
    tpm: null,
    fallbacks: ["unknown", "vendor/new"],
    examples: null,
    storedId: null,
    source: expect.stringMatching(/^file .+:\d+$/),
  });
  expect(cheap?.supportedParams).toContain("temperature");
  // Anthropic doesn't support `logprobs`, so the group doesn't support it either.
  expect(cheap?.supportedParams).not.toContain("logprobs");
  expect(cheap?.unsupportedParams).toContain("logprobs");
  expect(cheap?.supportedParams.filter((name) => cheap.unsupportedParams.includes(name))).toEqual([]);
});

test("a pattern is listed with matching example names, each of which can be called", () => {
  const pattern = byId.get("vendor/*");
  expect(pattern?.examples?.length).toBeGreaterThan(2);
  for (const name of pattern?.examples ?? []) expect(byId.get(name)?.examples, name).toBeNull();
});

test("hides team-owned models and hidden names, and never exposes a model's URL or key", () => {
  expect(byId.has("alias")).toBe(true);
  for (const name of ["owned", "secret-alias"]) expect(byId.has(name), name).toBe(false);
  expect(byId.get("unknown")).toMatchObject({ price: null, accessGroups: ["inner"] });
  const text = JSON.stringify([...byId.values()], (_, value) => (typeof value === "bigint" ? String(value) : value));
  expect(text).not.toMatch(/secret\.example|sk-secret|"owned"|secret-alias/);
  expect(source.isPublic()).toBe(true);
});

afterEach(() => useCatalog(openCatalog(readBuiltInCatalog())));

test("lists the prices of the catalog edition in effect", () => {
  const priceOf = (id: string) => source.list([]).find((group) => group.id === id)?.price?.outputPerMillionTokens;
  expect(priceOf("vendor/gpt-4o")).toBe(10_000_000_000n);
  const edition = JSON.parse(readBuiltInCatalog()) as CatalogFile;
  const models = edition.models.map((model) =>
    model.id === "openai/gpt-4o" ? { ...model, prices: { input: 1, output: 11_000_000 } } : model,
  );
  useCatalog(openCatalog(JSON.stringify({ ...edition, models })));
  expect(priceOf("vendor/gpt-4o")).toBe(11_000_000_000n);
});
