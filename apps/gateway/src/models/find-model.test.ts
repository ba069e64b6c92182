import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { describe, expect, test } from "vitest";
import type { Caller } from "../call/caller.ts";
import { anyCaller } from "../pipeline/chat-call.fixture.ts";
import { providers } from "../providers/registry.ts";
import { testSettings } from "../test-gateway.fixture.ts";
import { buildModelList } from "./build-model-list.ts";
import { findModel, type ModelPolicy } from "./find-model.ts";
import { ModelLookup } from "./model-lookup.ts";
import { Transports } from "./transports.ts";

const list = buildModelList(
  testSettings(`
model_list:
  - { model_name: gpt, litellm_params: { model: openai/gpt-4o, api_key: sk-1 }, model_info: { id: d1, access_groups: [beta] } }
  - { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: sk-1 }, model_info: { id: d2 } }
  - { model_name: "pinned/*", litellm_params: { model: openai/gpt-4o-mini, api_key: sk-1 }, model_info: { id: d3 } }
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

describe("model access check", () => {
  test("rejects an unknown name", () => {
    expect(() => find("nowhere")).toThrowError(
      expect.objectContaining({ code: "model_not_found", facts: { param: "model" } }),
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
