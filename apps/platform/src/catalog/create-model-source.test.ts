import { openCatalog, readBuiltInCatalog, useCatalog } from "@tollgate/catalog/catalog.ts";
import type { CatalogFile } from "@tollgate/catalog/model.ts";
import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { afterEach, describe, expect, test } from "vitest";
import { createModelSource } from "./create-model-source.ts";

const settings = testSettings(`
model_list:
  - { model_name: cheap, litellm_params: { model: openai/gpt-4o-mini, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 } }
  - { model_name: cheap, litellm_params: { model: openai/gpt-4o-mini, input_cost_per_token: 0.000003, output_cost_per_token: 0.000001 } }
  - { model_name: owned, litellm_params: { model: openai/gpt-4o }, model_info: { team_id: team_x, team_public_model_name: ours } }
  - { model_name: unknown, litellm_params: { model: openai_compatible/x, api_base: "https://secret.example/v1", api_key: sk-secret-0123456789 } }
  - { model_name: drawn, litellm_params: { model: openai/gpt-image-1 }, model_info: { mode: image_generation } }
  - { model_name: "vendor/*", litellm_params: { model: "openai/*" } }
router_settings:
  model_group_alias: { alias: cheap, secret-alias: { model: cheap, hidden: true } }
`);

describe("the public model list", () => {
  const source = createModelSource(servedModels, () => settings);
  const byId = new Map(source.list().map((model) => [model.id, model]));

  test("lists a group with several prices at the highest price for each unit", () => {
    expect(byId.get("cheap")).toMatchObject({
      provider: "openai",
      mode: "chat",
      price: { inputPerMillionTokens: 3_000_000_000n, outputPerMillionTokens: 2_000_000_000n },
      capabilities: expect.arrayContaining(["streaming", "tools"]),
      inputModalities: ["text", "image", "file"],
    });
    expect(byId.get("alias")?.price).toEqual(byId.get("cheap")?.price);
  });

  test("omits team-owned models, hidden names, and patterns, but reserves their names", () => {
    for (const name of ["owned", "ours", "secret-alias", "vendor/*"]) expect(byId.has(name), name).toBe(false);
    for (const name of ["owned", "secret-alias", "cheap", "alias", "vendor/*"])
      expect(source.has(name), name).toBe(true);
    for (const name of ["missing", "constructor", "vendor/gpt-4o"]) expect(source.has(name), name).toBe(false);
  });

  test("lists each model that matches a pattern, with its catalog data", () => {
    expect(byId.get("vendor/gpt-4o")?.price?.inputPerMillionTokens).toBeGreaterThan(0n);
    expect(byId.get("vendor/gpt-4o")?.contextWindow).toBeGreaterThan(1_000);
  });

  test("lists a model without a known price as unpriced, and exposes no base URL or key", () => {
    expect(byId.get("unknown")).toMatchObject({ price: null, contextWindow: null });
    expect(byId.get("drawn")).toMatchObject({ mode: "image_generation", outputModalities: ["image"] });
    const text = JSON.stringify(source.list(), (_, value) => (typeof value === "bigint" ? String(value) : value));
    expect(text).not.toMatch(/secret\.example|sk-secret/);
  });

  test("is rebuilt only if the settings change", () => {
    let current = settings;
    const changing = createModelSource(servedModels, () => current);
    const before = changing.list();
    expect(changing.list()).toBe(before);
    current = testSettings();
    expect(changing.list().some(({ id }) => id === "cheap")).toBe(false);
  });

  test("reports for each provider type whether it requires a base URL", () => {
    const kinds = new Map(source.kinds().map(({ name, needsBaseUrl }) => [name, needsBaseUrl]));
    expect([kinds.get("openai"), kinds.get("openai_compatible"), kinds.get("sim")]).toEqual([false, true, false]);
  });
});

afterEach(() => useCatalog(openCatalog(readBuiltInCatalog())));

test("the list has the prices of the catalog edition in effect, with the margin", () => {
  const sold = testSettings(`
model_list: [{ model_name: "vendor/*", litellm_params: { model: "openai/*" } }]
gw_settings: { cost_margin: { openai: 1 } }`);
  const source = createModelSource(servedModels, () => sold);
  const priceOf = (id: string) => source.list().find((model) => model.id === id)?.price?.outputPerMillionTokens;
  expect(priceOf("vendor/gpt-4o")).toBe(20_000_000_000n);
  const edition = JSON.parse(readBuiltInCatalog()) as CatalogFile;
  const models = edition.models.map((model) =>
    model.id === "openai/gpt-4o" ? { ...model, prices: { input: 1, output: 11_000_000 } } : model,
  );
  useCatalog(openCatalog(JSON.stringify({ ...edition, models })));
  expect(priceOf("vendor/gpt-4o")).toBe(22_000_000_000n);
});
