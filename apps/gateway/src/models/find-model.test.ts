import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { describe, expect, test } from "vitest";
import type { Caller } from "../call/caller.ts";
import { anyCaller } from "../pipeline/chat-call.fixture.ts";
import { providers } from "../providers/registry.ts";
import { testSettings } from "../test-gateway.fixture.ts";
import { buildModelList } from "./build-model-list.ts";
import { findModel, type ModelPolicy } from "./find-model.ts";
import { ModelLookup } from "./model-lookup.ts";
import { suggestModels } from "./suggest-models.ts";
import { Transports } from "./transports.ts";

const list = buildModelList(
  testSettings(`
model_list:
  - { model_name: gpt, litellm_params: { model: openai/gpt-4o, api_key: sk-1 }, model_info: { id: d1, access_groups: [beta] } }
  - { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: sk-1 }, model_info: { id: d2 } }
  - { model_name: "pinned/*", litellm_params: { model: openai/gpt-4o-mini, api_key: sk-1 }, model_info: { id: d3 } }
  - model_name: "fees/*"
    litellm_params:
      model: "openai/*"
      api_key: sk-1
      web_search_cost_per_query: 0.001
      tool_cost_per_call: 0.002
      price_rules: [{ service_tier: scale, output_cost_per_token: 0.00002 }]
    model_info: { id: d4 }
  - { model_name: "sim/*", litellm_params: { model: "sim/*" } }
  - { model_name: "priced/*", litellm_params: { model: "openai/*", api_key: sk-1, input_cost_per_token: 0.000001, output_cost_per_token: 0.000001 } }
  - { model_name: "small/*", litellm_params: { model: "openai/*", api_key: sk-1 }, model_info: { id: d5, max_input_tokens: 999, supports_vision: false } }
router_settings: { model_group_alias: { fast: gpt } }
`),
  providers,
  loadCatalog(),
  new Transports(() => ({ send: () => ({ pause() {}, resume() {}, abort() {} }), close: async () => {} })),
  new RouteStates(),
);
const policy: ModelPolicy = {
  allowModelIdCalls: false,
  hideInaccessibleModels: false,
  inferProvider: (name) => (name.startsWith("gpt-") ? "openai" : null),
  catalog: loadCatalog(),
};
const find = (asked: string, caller: Partial<Caller> = {}, changes: Partial<ModelPolicy> = {}) =>
  findModel(list, { ...anyCaller, ...caller }, asked, { ...policy, ...changes });
const models = (lists: Partial<Caller["models"]>): Partial<Caller> => ({ models: { ...anyCaller.models, ...lists } });

describe("model lookup", () => {
  test("finds a model by its name or an alias, and keeps the requested name for the response", () => {
    expect(find("gpt")).toMatchObject({ shownName: "gpt", name: "gpt", targets: [{ id: "d1" }] });
    expect(find("fast")).toMatchObject({ shownName: "fast", name: "gpt", targets: [{ id: "d1" }] });
  });

  test("finds a model by a pattern, with its upstream name and price", () => {
    const found = find("openai/gpt-4o-mini");
    expect(found).toMatchObject({
      name: "openai/gpt-4o-mini",
      targets: [{ id: "d2", upstreamModel: "gpt-4o-mini" }],
    });
    expect(found.targets[0]?.price?.input).toBeGreaterThan(0n);
    expect(find("openai/gpt-4o").targets[0]?.price).not.toEqual(found.targets[0]?.price);
    expect(find("openai/unheard-of").targets[0]?.price).toBeNull();
  });

  test("prefers the metadata of a pattern to the catalog's, which has the price", () => {
    const named = find("small/gpt-4o").targets[0];
    expect(named).toMatchObject({ maxInputTokens: 999, price: { input: 2_500_000n } });
    expect(named?.facts).toMatchObject({ maxInputTokens: 999, supports_vision: false, maxOutputTokens: 16_384 });
  });

  test("adds the fees and conditions of a pattern to the catalog's prices", () => {
    const named = find("fees/gpt-5").targets[0];
    expect(named?.price).toMatchObject({
      input: 1_250_000n,
      perWebSearch: 1_000_000_000n,
      perToolCall: 2_000_000_000n,
    });
    const tiers = named?.facts.rateCard?.rules.map(({ when }) => when.serviceTier);
    expect(tiers).toEqual(["flex", "priority", "scale"]);
    expect(named?.facts.rateCard?.base).toBe(named?.price);
    expect(find("fees/unheard-of").targets[0]).toMatchObject({ price: null, facts: { rateCard: null } });
  });

  test("finds the one fixed model that a pattern maps to", () => {
    expect(find("pinned/anything").targets).toMatchObject([{ id: "d3", upstreamModel: "gpt-4o-mini" }]);
  });

  test("finds a model by its name without a provider if the provider can be inferred", () => {
    expect(find("gpt-4o-mini")).toMatchObject({ shownName: "gpt-4o-mini", name: "openai/gpt-4o-mini" });
  });

  test("encodes the model name for JSON and for a header", () => {
    const { shownJson, shownHeader } = find("openai/größe 世界\n");
    expect(Buffer.from(shownJson, "latin1").toString("utf8")).toBe('"openai/größe 世界\\n"');
    expect(shownHeader).toBe("openai/gr%C3%B6%C3%9Fe%20%E4%B8%96%E7%95%8C%0A");
    expect(find("openai/\ud800").shownHeader).toBe("openai/%EF%BF%BD");
  });
});

describe("a name that only a pattern matches", () => {
  const billed = { requiresPrices: true };
  const notFound = expect.objectContaining({ code: "model_not_found", status: 404 });

  test("exists if the catalog or the provider's own list has it, or if its deployment has a price", () => {
    for (const known of ["openai/gpt-4o", "sim/echo", "sim/error?status=429", "priced/anything", "pinned/anything"]) {
      expect(find(known, {}, billed).shownName).toBe(known);
    }
    for (const unknown of ["openai/unheard-of", "sim/ech", "fees/unheard-of"]) {
      expect(() => find(unknown, {}, billed), unknown).toThrowError(notFound);
    }
  });

  test("is forwarded without billing, unless the provider's own list is complete", () => {
    expect(find("openai/unheard-of").shownName).toBe("openai/unheard-of");
    expect(() => find("sim/ech")).toThrowError(notFound);
  });
});

test("an unknown model suggests only names that the caller can call", () => {
  const lookup = new ModelLookup(list, policy);
  const suggested = (asked: string, caller: Partial<Caller> = {}) => {
    try {
      lookup.find({ ...anyCaller, ...caller }, asked);
    } catch (error) {
      return (suggestModels(error, lookup, { ...anyCaller, ...caller }) as Failure).facts;
    }
    throw new Error("the model was found");
  };
  expect(suggested("sim/ech")).toMatchObject({ nearestModels: ["sim/echo"], param: "model" });
  expect(suggested("sim/ech").fix).toBe(
    "Did you mean 'sim/echo'? To list the models that you can use, call GET /v1/models.",
  );
  expect(suggested("fst").nearestModels).toEqual(["fast"]);
  expect(suggested("sim/ech", models({ team: ["gpt"] })).nearestModels).toEqual([]);
  expect(suggested("sim/ech", models({ team: ["gpt"] })).fix).toBe(
    "To list the models that you can use, call GET /v1/models.",
  );
});

describe("model access check", () => {
  test("rejects an unknown name", () => {
    expect(() => find("nowhere")).toThrowError(
      expect.objectContaining({ code: "model_not_found", facts: expect.objectContaining({ param: "model" }) }),
    );
  });

  test.for([
    ["key", "key_model_access_denied"],
    ["team", "team_model_access_denied"],
    ["user", "user_model_access_denied"],
    ["organization", "org_model_access_denied"],
  ] as const)("rejects a model that is not in the model list of the %s", ([owner, code]) => {
    expect(() => find("gpt", models({ [owner]: ["other"] }))).toThrowError(
      expect.objectContaining({ code, status: 403 }),
    );
    for (const entry of ["gpt", "beta", "g*", "all-proxy-models"]) {
      expect(find("gpt", models({ [owner]: [entry] })).name).toBe("gpt");
    }
  });

  test("uses the same message as for an unknown model if the operator hides inaccessible models", () => {
    const messageOf = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return (error as Error).message;
      }
    };
    const hidden = messageOf(() => find("gpt", models({ key: ["other"] }), { hideInaccessibleModels: true }));
    expect(hidden).toBe((messageOf(() => find("nowhere")) as string).replace("nowhere", "gpt"));
  });

  test("accepts an alias if the list contains its target", () => {
    expect(find("fast", models({ key: ["gpt"] })).name).toBe("gpt");
    expect(find("fast", models({ key: ["fast"] })).name).toBe("gpt");
  });
});

describe("model lookup cache", () => {
  test("returns the same result for a caller until the caller's record changes", () => {
    const lookup = new ModelLookup(list, policy);
    const caller = { ...anyCaller };
    expect(lookup.find(caller, "gpt")).toBe(lookup.find(caller, "gpt"));
    expect(() => lookup.find({ ...anyCaller, ...models({ key: ["other"] }) }, "gpt")).toThrow("cannot use");
  });

  test("has one deployment for each name that matches a pattern, for all callers", () => {
    const lookup = new ModelLookup(list, policy);
    const targetFor = (asked: string, caller: Partial<Caller> = {}) =>
      lookup.find({ ...anyCaller, ...caller }, asked).targets[0];
    expect(targetFor("openai/gpt-4o")).toBe(targetFor("openai/gpt-4o"));
    expect(targetFor("openai/gpt-4o")).not.toBe(targetFor("openai/gpt-4o-mini"));
    // An alias has the deployment of another requested name.
    const keyAliases = { mine: "openai/gpt-4o" };
    expect(targetFor("mine", { keyAliases })).toMatchObject({ upstreamModel: "gpt-4o" });
    expect(targetFor("mine", { keyAliases: { mine: "openai/gpt-5" } })).toMatchObject({ upstreamModel: "gpt-5" });
    // Another lookup may have another catalog.
    expect(new ModelLookup(list, policy).find(anyCaller, "openai/gpt-4o").targets[0]).not.toBe(
      targetFor("openai/gpt-4o"),
    );
  });

  test("has a bounded size, even if a pattern matches any number of names", () => {
    const lookup = new ModelLookup(list, policy);
    const first = lookup.find(anyCaller, "openai/0");
    for (let index = 1; index < 1_000; index += 1) lookup.find(anyCaller, `openai/${index}`);
    expect(lookup.find(anyCaller, "openai/0")).toBe(first);
    lookup.find(anyCaller, "openai/1000");
    expect(lookup.find(anyCaller, "openai/0")).not.toBe(first);
  });
});

test("a configured fallback ignores the key's aliases and model list", () => {
  const lookup = new ModelLookup(list, policy);
  const caller: Caller = { ...anyCaller, ...models({ key: ["openai/gpt-4o"] }), keyAliases: { spare: "gpt" } };
  expect(() => lookup.findConfigured(caller, "spare")).toThrow(expect.objectContaining({ code: "model_not_found" }));
  expect(lookup.findConfigured(caller, "gpt").targets).toMatchObject([{ id: "d1" }]);
  expect(() => lookup.find(caller, "gpt")).toThrow(expect.objectContaining({ code: "key_model_access_denied" }));
});

test("a name over the maximum length is treated as unknown, even if it matches a pattern", () => {
  expect(find(`openai/${"x".repeat(505)}`).targets).toHaveLength(1);
  expect(() => find(`openai/${"x".repeat(506)}`)).toThrow(expect.objectContaining({ code: "model_not_found" }));
});

describe("a key or team alias", () => {
  const shadow = { "openai/gpt-4o-mini": "openai/gpt-5-pro", fast: "openai/gpt-5-pro" };

  test.for(["openai/gpt-4o-mini", "fast"])(
    "cannot name a model that its team, user, or organization may not use: %s",
    (asked) => {
      for (const owner of ["team", "user", "organization"] as const) {
        expect(() => find(asked, { ...models({ [owner]: [asked] }), keyAliases: shadow })).toThrow(
          `This ${owner} cannot`,
        );
      }
      expect(() => find(asked, { ...models({ organization: [asked] }), teamAliases: shadow })).toThrow("organization");
      const step = { fast: "step", step: "openai/gpt-5-pro" };
      expect(() => find("fast", { ...models({ organization: ["step"] }), teamAliases: step })).toThrow("organization");
    },
  );

  test("can name any model that its team, user, and organization may use", () => {
    const upstream = { targets: [{ upstreamModel: "gpt-5-pro" }] };
    const lists = models({ key: ["mine"], team: ["openai/gpt-5-pro"], organization: ["openai/*"] });
    expect(find("mine", { ...lists, keyAliases: { mine: "openai/gpt-5-pro" } })).toMatchObject(upstream);
    const ours = { ...models({ key: ["ours"], team: ["ours"] }), teamAliases: { ours: "openai/gpt-5-pro" } };
    expect(find("ours", ours)).toMatchObject(upstream);
    expect(find("mine", { ...ours, ...models({ team: ["ours"] }), keyAliases: { mine: "ours" } })).toMatchObject(
      upstream,
    );
    expect(find("fast", models({ organization: ["fast"] }))).toMatchObject({ name: "gpt" });
  });
});
