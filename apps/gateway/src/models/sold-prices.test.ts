import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { expect, test } from "vitest";
import type { Caller } from "../call/caller.ts";
import type { PriceList } from "../call/price-list.ts";
import { providers } from "../providers/registry.ts";
import { testSettings } from "../test-gateway.fixture.ts";
import { buildModelList } from "./build-model-list.ts";
import { ModelLookup } from "./model-lookup.ts";
import { Transports } from "./transports.ts";

const GPT_4O = { input: 2_500_000n, output: 10_000_000n };
const transports = new Transports(() => ({
  send: () => {
    throw new Error("not called");
  },
  close: async () => {},
}));

function lookUp(settings: string, allowModelIdCalls = false) {
  const catalog = loadCatalog();
  const list = buildModelList(testSettings(settings), providers, catalog, transports, new RouteStates());
  return new ModelLookup(list, {
    allowModelIdCalls,
    hideInaccessibleModels: false,
    inferProvider: (name) => catalog.inferProvider(name) ?? null,
    catalog,
  });
}

const callerWith = (priceList: PriceList | null): Caller =>
  ({
    keyAliases: {},
    teamAliases: {},
    teamId: null,
    models: { key: [], team: [], user: [], organization: [] },
    priceList,
  }) as unknown as Caller;

function only(models: ModelLookup, name: string, priceList: PriceList | null = null) {
  const [target] = models.find(callerWith(priceList), name).targets;
  if (target === undefined) throw new Error("the model has no deployment");
  return target;
}

const fast = (more = "") =>
  `model_list: [{model_name: fast, litellm_params: {model: openai/gpt-4o, api_key: unused${more}}}]\n`;

test("without a margin, calls are sold at the catalog's price, and its version has no cost", () => {
  const deployment = only(lookUp(fast()), "fast");
  expect(deployment).toMatchObject({ price: GPT_4O, cost: null, providerPrices: null });
  expect(deployment.priceVersionId).toBe(priceVersionId("openai/gpt-4o", deployment.price as never));
});

test("cost_margin raises the price of its provider, and the version names the provider's price", () => {
  const margin = "gw_settings: {cost_margin: {openai: 0.1, global: {fixed_amount: 0.001}}}\n";
  const models = lookUp(margin + fast());
  const deployment = only(models, "fast");
  expect(deployment.price).toMatchObject({ input: 2_750_000n, output: 11_000_000n, perRequest: null });
  expect(deployment.cost).toMatchObject({ model: "openai/gpt-4o", price: GPT_4O });
  expect(deployment.priceVersionId).not.toBe(deployment.cost?.id);
  const other = lookUp(`${margin}model_list: [{model_name: free, litellm_params: {model: sim/echo}}]`);
  expect(only(other, "free").price).toMatchObject({ input: 0n, perRequest: 1_000_000_000n });
});

test("cost_discount applies before the margin", () => {
  const settings = "gw_settings: {cost_discount: {openai: 0.5}, cost_margin: {openai: 0.1}}\n";
  expect(only(lookUp(settings + fast()), "fast").price).toMatchObject({ input: 1_375_000n });
});

test("a configured price is sold, and the catalog's is its cost, unless the settings say otherwise", () => {
  const own = ", input_cost_per_token: 0.000005, output_cost_per_token: 0.00002";
  expect(only(lookUp(fast(own)), "fast")).toMatchObject({ price: { input: 5_000_000n }, cost: { price: GPT_4O } });
  expect(only(lookUp(fast(`${own}, prices_are_costs: true`)), "fast").cost).toBeNull();
});

test("a flat price has a card without rules if the provider's price has conditions", () => {
  const own = ", input_cost_per_token: 0.000005, output_cost_per_token: 0.00002";
  const models =
    lookUp(`model_list: [{model_name: a, litellm_params: {model: deepseek/deepseek-v4-flash, api_key: k${own}}},
    {model_name: b, litellm_params: {model: openai_compatible/x, api_base: "https://x.example/v1", api_key: k${own}}}]`);
  const { facts, providerPrices } = only(models, "a");
  expect(facts.rateCard).toEqual({ base: facts.price, rules: [] });
  expect(providerPrices?.rateCard?.rules).not.toEqual([]);
  expect(only(models, "b").facts.rateCard).toBeNull();
});

test("an organization's list changes the price of its models only, and equal lists share a deployment", () => {
  const models = lookUp(fast());
  const discount: PriceList = new Map([["fast", { shareMillionths: -200_000n, fixedNanoUsd: 0n }]]);
  const standard = only(models, "fast");
  const listed = only(models, "fast", discount);
  expect(listed.price).toMatchObject({ input: 2_000_000n, output: 8_000_000n });
  expect(listed.cost?.price).toMatchObject(GPT_4O);
  expect([listed.id, listed.state, listed.transport]).toEqual([standard.id, standard.state, standard.transport]);
  expect(only(models, "fast", new Map(discount))).toBe(listed);
  const others: PriceList = new Map([["other", { shareMillionths: 10n, fixedNanoUsd: 0n }]]);
  expect(only(models, "fast", others)).toBe(standard);
  const all: PriceList = new Map([["*", { shareMillionths: 1_000_000n, fixedNanoUsd: 5n }]]);
  expect(only(models, "fast", all).price).toMatchObject({ input: 5_000_000n, perRequest: 5_000n });
});

test("an organization's fixed price replaces the standard one, and the provider's cost stays", () => {
  const models = lookUp(`gw_settings: {cost_margin: {openai: 0.1}}\n${fast()}`);
  const fixed = { prices: { input: 3_000_000n, output: 9_000_000n }, rules: [] };
  const deployment = only(models, "fast", new Map([["fast", fixed]]));
  expect(deployment.price).toMatchObject({ input: 3_000_000n, output: 9_000_000n, cacheRead: null });
  expect(deployment.cost).toMatchObject({ price: GPT_4O });
  expect(only(models, "fast", new Map([["fast", { ...fixed }]]))).toBe(deployment);
  const { rateCard } = deployment.facts;
  // The tier keeps the standard price with its margin.
  const priority = rateCard?.rules.findLast(({ when }) => when.serviceTier === "priority");
  expect(priority?.prices.input).toBe(4_675_000n);
  const own = { when: { serviceTier: "priority" }, prices: { input: 4_000_000n } };
  const terms: PriceList = new Map([["fast", { prices: { input: 3_000_000n }, rules: [own] }]]);
  expect(only(models, "fast", terms).facts.rateCard?.rules.at(-1)).toEqual(own);
});

test("a caller's own key has its own price without margins and lists, and costs the operator nothing", () => {
  const own = ", configurable_clientside_auth_params: [api_key], own_key_price: {input_cost_per_token: 0.000001}";
  const models = lookUp(`gw_settings: {cost_margin: {openai: 0.1}}\n${fast(own)}`);
  const list: PriceList = new Map([["*", { shareMillionths: 0n, fixedNanoUsd: 5n }]]);
  const [deployment] = models.findWithOwnKey(callerWith(list), "fast", new Secret("theirs")).targets;
  expect(deployment).toMatchObject({
    price: { input: 1_000_000n, output: 0n, perRequest: null },
    cost: { price: { input: 0n, output: 0n } },
    providerPrices: null,
  });
  const free = lookUp(fast(", configurable_clientside_auth_params: [api_key]"));
  expect(free.findWithOwnKey(callerWith(null), "fast", new Secret("theirs")).targets[0]?.cost).toBeNull();
});

test("margins and lists apply to models that match a pattern", () => {
  const settings = `gw_settings: {cost_margin: {openai: 0.1}}
model_list: [{model_name: "openai/*", litellm_params: {model: "openai/*", api_key: unused}}]`;
  const models = lookUp(settings);
  const list: PriceList = new Map([["*", { shareMillionths: -100_000n, fixedNanoUsd: 0n }]]);
  expect(only(models, "openai/gpt-4o")).toMatchObject({ price: { input: 2_750_000n }, cost: { price: GPT_4O } });
  expect(only(models, "openai/gpt-4o", list)).toMatchObject({ price: { input: 2_475_000n }, cost: { price: GPT_4O } });
});

test("a list's price for a model group applies under every name that reaches the group", () => {
  const list: PriceList = new Map([["fast", { shareMillionths: 1_000_000n, fixedNanoUsd: 0n }]]);
  const models = lookUp(fast(), true);
  expect(only(models, only(models, "fast").id, list).price).toMatchObject({ input: 5_000_000n });
  const matching = lookUp(
    `model_list: [{model_name: "openai/*", litellm_params: {model: "openai/*", api_key: unused}}]`,
  );
  const ofPattern: PriceList = new Map([["openai/*", { shareMillionths: 1_000_000n, fixedNanoUsd: 0n }]]);
  expect(only(matching, "openai/gpt-4o", ofPattern).price).toMatchObject({ input: 5_000_000n });
  const ofModel: PriceList = new Map([...ofPattern, ["openai/gpt-4o", { shareMillionths: 0n, fixedNanoUsd: 7n }]]);
  expect(only(matching, "openai/gpt-4o", ofModel).price).toMatchObject({ input: 2_500_000n, perRequest: 7_000n });
});
