import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { describe, expect, test } from "vitest";
import { providers } from "../providers/registry.ts";
import { testSettings } from "../test-gateway.fixture.ts";
import { buildModelList } from "./build-model-list.ts";
import { Transports } from "./transports.ts";

const build = (yaml: string) =>
  buildModelList(
    testSettings(yaml),
    providers,
    loadCatalog(),
    new Transports(() => ({ send: () => ({ pause() {}, resume() {}, abort() {} }), close: async () => {} })),
    new RouteStates(),
  );
const deployment = (fields: string, info = "{}") =>
  `model_list: [{ model_name: m, litellm_params: { model: openai/gpt-4o, ${fields} }, model_info: ${info} }]`;
const idOf = (yaml: string) => build(yaml).groups.exact.get("m")?.members[0]?.id;

describe("model groups", () => {
  test("contain the deployments with the same name, in settings order", () => {
    const list = build(`
model_list:
  - { model_name: b, litellm_params: { model: openai/x, api_key: sk-1 }, model_info: { id: b1 } }
  - { model_name: a, litellm_params: { model: openai/y, api_key: sk-1 }, model_info: { id: a1 } }
  - { model_name: b, litellm_params: { model: openai/z, api_key: sk-1 }, model_info: { id: b2 } }
`);
    expect(list.groupNames).toEqual(["sim/*", "b", "a"]);
    expect(list.groups.exact.get("b")?.members.map(({ id }) => id)).toEqual(["b1", "b2"]);
    expect([...list.groups.byId.keys()]).toEqual(expect.arrayContaining(["b1", "a1", "b2"]));
  });

  test("with a wildcard are patterns, ordered from longest to shortest", () => {
    const entries = ["*", "openai/*", "openai/gpt-*"].map(
      (name) => `{ model_name: "${name}", litellm_params: { model: "openai/*", api_key: sk-1 } }`,
    );
    const { groups } = build(`model_list: [${entries.join(", ")}]`);
    expect(groups.patterns.map(({ name }) => name)).toEqual(["openai/gpt-*", "openai/*", "sim/*", "*"]);
    expect(groups.exact.has("openai/*")).toBe(false);
  });

  test("can have aliases, which can be hidden", () => {
    const list = build(
      "router_settings: { model_group_alias: { fast: sim/echo, secret: { model: sim/echo, hidden: true } } }",
    );
    expect(list.groups.aliases.get("fast")).toBe("sim/echo");
    expect(list.hiddenAliases).toEqual(new Set(["secret"]));
  });
});

describe("deployment ID", () => {
  test("is the configured ID", () => {
    expect(idOf(deployment("api_key: sk-1", "{ id: mine }"))).toBe("mine");
  });

  test("is derived from the parameters without the secret if no ID is configured", () => {
    const id = idOf(deployment("api_key: sk-1, rpm: 5"));
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(idOf(deployment("api_key: sk-2, rpm: 5"))).toBe(id);
    expect(idOf(deployment("rpm: 5, api_key: sk-1"))).toBe(id);
    expect(idOf(deployment("api_key: sk-1, rpm: 6"))).not.toBe(id);
  });
});

describe("deployment", () => {
  const only = (yaml: string) => build(yaml).groups.exact.get("m")?.members[0];

  test("uses the provider's default URL if none is configured", () => {
    expect(only(deployment("api_key: sk-1"))?.apiBase).toBe("https://api.openai.com/v1");
    expect(only(deployment('api_key: sk-1, api_base: "https://x.example/v1"'))?.apiBase).toBe("https://x.example/v1");
  });

  test("uses the configured price, or the catalog price if none is configured", () => {
    const own = only(deployment("api_key: sk-1, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002"));
    expect(own?.price).toMatchObject({ input: 1_000_000n, output: 2_000_000n });
    const known = only(deployment("api_key: sk-1"));
    expect(known?.price?.input).toBeGreaterThan(0n);
  });

  test.for([
    ["", "input_cost_per_second: 0.0001", { perSecond: 100_000_000n, input: 0n, output: 0n }],
    ["", "output_cost_per_second: 0.0001", { perSecond: 100_000_000n }],
    ["", "input_cost_per_character: 0.000015", { perCharacter: 15_000_000n }],
    ["mode: image_generation", "output_cost_per_image: 0.04", { perImage: 40_000_000_000n }],
    ["mode: embedding", "input_cost_per_token: 0.000001", { input: 1_000_000n, output: 0n }],
    [
      "",
      "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002, input_cost_per_audio_token: 0.00004",
      { audioInput: 40_000_000n, audioOutput: null, tier: null },
    ],
    [
      "",
      "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002, input_cost_per_token_above_200k_tokens: 0.000003",
      { tier: { aboveInputTokens: 200_000, input: 3_000_000n, output: null, cacheRead: null, cacheWrite: null } },
    ],
    // Chat usage has no duration, so a price per second would make the model free.
    ["mode: chat", "input_cost_per_second: 0.0001", null],
  ] as const)('with the info "%s" and the price "%s" has the matching price', ([info, costs, price]) => {
    const entry = `{ model: openai/unheard-of, api_key: sk-1, ${costs} }, model_info: { ${info} }`;
    const found = only(`model_list: [{ model_name: m, litellm_params: ${entry} }]`)?.price;
    if (price === null) expect(found).toBeNull();
    else expect(found).toMatchObject(price);
  });

  test.for([
    ["model: openai/gpt-5.4", 2_500_000n],
    ["model: openai/gpt-5.4, api_base: https://eu.api.openai.com/v1", 2_750_000n],
    ["model: openai/gpt-5.4, api_base: https://proxy.example/eu.api.openai.com", 2_500_000n],
    ["model: vertex_ai/claude-sonnet-4-5, vertex_location: global", 3_000_000n],
    ["model: vertex_ai/claude-sonnet-4-5, vertex_location: europe-west1", 3_300_000n],
    ["model: vertex_ai/claude-sonnet-4-5", 3_300_000n],
  ] as const)("with { %s } has the catalog price of its region", ([params, input]) => {
    const found = only(`model_list: [{ model_name: m, litellm_params: { ${params} } }]`);
    expect(found?.price?.input).toBe(input);
    expect(found?.facts.rateCard?.rules.some(({ when }) => when.region !== undefined) ?? false).toBe(false);
  });

  test("has the catalog's price of image tokens unless the operator sets a price per image", () => {
    const entry = (costs: string) =>
      `model_list: [{ model_name: m, litellm_params: { model: openai/gpt-image-1, api_key: sk-1 ${costs} } }]`;
    expect(only(entry(""))?.price).toMatchObject({ output: 40_000_000n, perImage: null });
    const own = only(entry(", output_cost_per_image: 0.01"))?.price;
    expect(own).toMatchObject({ output: 0n, perImage: 10_000_000_000n });
  });

  test("has the catalog's price rules and those of the operator", () => {
    const rule = (index: number) => `{ service_tier: tier${index}, input_cost_per_token: 0.000001 }`;
    const rules = Array.from({ length: 30 }, (_, index) => rule(index)).join(", ");
    const entry = (model: string) =>
      `model_list: [{ model_name: m, litellm_params: { model: ${model}, api_key: sk-1, price_rules: [${rules}] } }]`;
    const mostRules = loadCatalog()
      .models()
      .filter(({ provider }) => provider === "openai")
      .toSorted((one, other) => (other.prices.rules?.length ?? 0) - (one.prices.rules?.length ?? 0))[0];
    const card = only(entry(mostRules?.id as string))?.facts.rateCard;
    expect(card?.rules.length).toBeGreaterThan(30);
    expect(card?.rules.at(-1)?.when).toEqual({ serviceTier: "tier29" });
  });

  test("has no price when neither the settings nor the catalog defines one", () => {
    const list = build("model_list: [{ model_name: m, litellm_params: { model: openai/unheard-of, api_key: sk-1 } }]");
    expect(list.groups.exact.get("m")?.members[0]?.price).toBeNull();
  });

  test("has no price when only the input or the output price is configured", () => {
    const half = build(
      "model_list: [{ model_name: m, litellm_params: { model: openai/unheard-of, api_key: sk-1, input_cost_per_token: 0.000001 } }]",
    );
    expect(half.groups.exact.get("m")?.members[0]?.price).toBeNull();
  });

  test("never prints its secret", () => {
    const list = build(deployment("api_key: sk-very-secret"));
    expect(
      JSON.stringify(list.deployments.map(({ shownParams, shownInfo, id }) => [shownParams, shownInfo, id])),
    ).not.toContain("sk-very-secret");
  });

  test("is omitted if the gateway doesn't support its provider", () => {
    const settings = testSettings(deployment("api_key: sk-1"));
    const list = buildModelList(
      settings,
      new Map(),
      loadCatalog(),
      new Transports(() => ({}) as never),
      new RouteStates(),
    );
    expect(list.deployments).toEqual([]);
  });
});

test("an AI SDK package can be named in settings files but not in stored models", () => {
  const yaml = `model_list: [{ model_name: one, litellm_params: { model: ai_sdk/m, ai_sdk: "@ai-sdk/groq" } }]`;
  expect(build(yaml).groups.exact.get("one")?.members).toHaveLength(1);
  const entries = testSettings(yaml).deployments.filter(({ modelName }) => modelName === "one");
  const unusable: unknown[] = [];
  const stored = { entries, onUnusable: (_: unknown, reason: unknown) => unusable.push(reason) };
  const transports = new Transports(() => {
    throw new Error("nothing is connected");
  });
  const list = buildModelList(testSettings(""), providers, loadCatalog(), transports, new RouteStates(), stored);
  expect(list.groups.exact.has("one")).toBe(false);
  expect(unusable).toEqual(["no provider 'ai_sdk'"]);
});
