import type { SimulateRouteBody } from "@tollgate/contracts/management/routing.ts";
import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import { startTestGateway, testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { describe, expect, test } from "vitest";
import { createDeploymentSource } from "./create-deployment-source.ts";
import type { LiveStates, StoredModel } from "./deployment-source.ts";

const yaml = `
model_list:
  - { model_name: spread, litellm_params: { model: sim/echo, weight: 3 }, model_info: { id: heavy } }
  - { model_name: spread, litellm_params: { model: sim/json, weight: 1 }, model_info: { id: light } }
  - { model_name: spread, litellm_params: { model: sim/slow, weight: 0 }, model_info: { id: never } }
  - { model_name: levels, litellm_params: { model: sim/echo, order: 1 }, model_info: { id: first } }
  - { model_name: levels, litellm_params: { model: sim/lorem, order: 2 }, model_info: { id: second } }
  - { model_name: spare, litellm_params: { model: sim/echo }, model_info: { id: spare-1 } }
  - { model_name: small, litellm_params: { model: sim/echo }, model_info: { id: small-1, max_input_tokens: 100 } }
  - { model_name: house, litellm_params: { model: openai/unheard-of, api_key: sk-canary-0123456789, api_base: "https://who:canary@up.example/v1?canary=1" }, model_info: { id: house-1 } }
  - { model_name: expensive, litellm_params: { model: openai/gpt-4o-mini, api_key: sk-canary-0123456789, input_cost_per_token: 0.5, output_cost_per_token: 0.5 }, model_info: { id: expensive-1 } }
  - { model_name: usual, litellm_params: { model: openai/gpt-4o-mini }, model_info: { id: usual-1 } }
router_settings:
  num_retries: 1
  enable_pre_call_checks: true
  fallbacks: [{ levels: [spare] }, { spread: [nowhere, spare] }]
  context_window_fallbacks: [{ small: [spare] }]
  model_group_alias: { fast: spread }
`;
const noLiveStates: LiveStates = new Map();
const source = createDeploymentSource(
  servedModels,
  () => testSettings(yaml),
  () => new Date(),
);
const simulate = (question: SimulateRouteBody, live: LiveStates = noLiveStates) => source.simulate([], live, question);
const chosenBy = (question: SimulateRouteBody, live: LiveStates = noLiveStates) =>
  Object.fromEntries(
    simulate(question, live).chosen.map(({ deploymentId, probability }) => [deploymentId, probability]),
  );
const find = (id: string) => source.list([], noLiveStates).find((deployment) => deployment.id === id);

describe("a simulated call", () => {
  test("is routed like real calls, with the same probabilities", async () => {
    const gateway = await startTestGateway({ yaml });
    try {
      const calls = 200;
      const counts: Record<string, number> = {};
      const call = async () => {
        const answer = await gateway.chat({ model: "spread", max_tokens: 1 });
        await answer.arrayBuffer();
        const id = answer.headers.get("x-gw-model-id") as string;
        counts[id] = (counts[id] ?? 0) + 1;
      };
      for (let made = 0; made < calls; made += 20) await Promise.all(Array.from({ length: 20 }, call));
      const predicted = chosenBy({ model: "spread" });
      expect(predicted).toEqual({ heavy: 0.75, light: 0.25 });
      expect(Object.keys(counts).sort()).toEqual(["heavy", "light"]);
      // With five standard deviations, the test fails by chance once in two million runs.
      const tolerance = 5 * Math.sqrt((0.75 * 0.25) / calls);
      expect(Math.abs((counts.heavy ?? 0) / calls - 0.75)).toBeLessThan(tolerance);
    } finally {
      await gateway.close();
    }
  });

  test("resolves an alias and explains why the group's remaining deployments are excluded", () => {
    const { steps } = simulate({ model: "fast" });
    expect(steps[0]).toMatchObject({ kind: "resolve", group: "spread", text: expect.stringContaining("'fast'") });
    expect(steps[1]).toMatchObject({ kind: "filter", deploymentId: "never", text: expect.stringContaining("weight") });
  });

  test("goes to the deployments with the lowest order first, and, after failures, to higher orders and fallback groups", () => {
    const { steps, chosen } = simulate({ model: "levels" });
    expect(chosen).toEqual([{ deploymentId: "first", probability: 1 }]);
    const after = steps.filter(({ kind }) => kind === "retry" || kind === "fallback");
    const ways = after.map(({ kind, deploymentId }) => [kind, deploymentId]);
    expect(ways).toEqual([
      ["retry", "second"],
      ["fallback", "spare-1"],
      ["retry", "spare-1"],
    ]);
    expect(steps.at(-1)?.kind).toBe("refuse");
  });

  test("skips fallbacks to unknown models", () => {
    const { steps } = simulate({ model: "spread" });
    const fallbacks = steps.filter(({ kind }) => kind === "fallback");
    expect(fallbacks.map(({ group }) => group)).toEqual(["spare"]);
  });

  test("is routed to the deployment of a matching pattern", () => {
    const { steps, chosen } = simulate({ model: "sim/echo" });
    expect(steps[0]?.text).toContain("'sim/*'");
    expect(chosen).toHaveLength(1);
    expect(chosen[0]?.probability).toBe(1);
  });

  test("is refused for an unknown model", () => {
    expect(simulate({ model: "unknown" })).toEqual({
      steps: [expect.objectContaining({ kind: "refuse", text: expect.stringContaining("404") })],
      chosen: [],
    });
  });

  test("falls back to another group if its prompt exceeds the context window", () => {
    const { steps, chosen } = simulate({ model: "small", inputTokens: 5_000 });
    expect(steps.map(({ kind }) => kind)).toEqual(["resolve", "filter", "refuse", "fallback"]);
    expect(chosen).toEqual([{ deploymentId: "spare-1", probability: 1 }]);
    expect(chosenBy({ model: "small", inputTokens: 50 })).toEqual({ "small-1": 1 });
  });

  test("is not routed to deployments in cooldown", () => {
    const untilMs = Date.now() + 60_000;
    const live = new Map([["heavy", { cooledUntilMs: untilMs, isUnhealthy: false }]]);
    expect(chosenBy({ model: "spread" }, live)).toEqual({ light: 1 });
    expect(simulate({ model: "spread" }, live).steps[1]?.text).toContain("is in cooldown until");
  });
});

describe("a listed deployment", () => {
  test("shows its source, its price, and the price source", () => {
    expect(find("heavy")).toMatchObject({
      group: "spread",
      source: { kind: "file", file: "test.yaml", line: 3 },
      weight: 3,
      credential: "not needed",
      priceSource: "catalog",
      editable: false,
      status: "unknown",
    });
    expect(find("house-1")).toMatchObject({ priced: false, priceSource: "none", pricing: null, credential: "set" });
    expect(find("expensive-1")).toMatchObject({ priced: true, priceSource: "override", stale: false });
    expect(find("expensive-1")?.pricing?.inputPerMillionTokens, "half a dollar per token").toBe(500_000_000_000_000n);
    expect(find("usual-1")).toMatchObject({ priced: true, priceSource: "catalog", credential: "not set" });
  });

  test("has the status that the gateway reports", () => {
    const untilMs = Date.now() + 60_000;
    const live = new Map([
      ["heavy", { cooledUntilMs: untilMs, isUnhealthy: false }],
      ["light", { cooledUntilMs: 1, isUnhealthy: false }],
      ["never", { cooledUntilMs: 0, isUnhealthy: true }],
    ]);
    const listed = source.list([], live).filter(({ group }) => group === "spread");
    expect(listed.map(({ status }) => status)).toEqual(["cooling", "healthy", "unhealthy"]);
    expect(listed.map(({ cooldownUntil }) => cooldownUntil)).toEqual([new Date(untilMs), null, null]);
  });

  test("does not expose secrets", () => {
    expect(find("house-1")?.apiBase).toBe("https://up.example/v1");
    const shown = JSON.stringify(source.list([], noLiveStates), (_, value) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    expect(shown).not.toContain("canary");
  });

  test("reports prices as stale after their maximum age", () => {
    const later = createDeploymentSource(
      servedModels,
      () => testSettings(yaml),
      () => new Date("2035-01-01T00:00:00Z"),
    );
    const listed = later.list([], noLiveStates);
    expect(listed.find(({ id }) => id === "usual-1")?.stale).toBe(true);
    expect(listed.find(({ id }) => id === "expensive-1")?.stale).toBe(false);
  });

  test("can be edited if it comes from the database, and is unusable if the settings files use its name", () => {
    const stored = [storedModel("mine"), storedModel("spread"), storedModel("off", "disabled")];
    const listed = source.list(stored, noLiveStates).filter(({ source: { kind } }) => kind === "database");
    expect(listed.map(({ group, status, editable, modelId }) => [group, status, editable, modelId])).toEqual([
      ["mine", "unknown", true, "mine"],
      ["spread", "unusable", true, "spread"],
      ["off", "disabled", true, "off"],
    ]);
    const [{ chosen }] = [source.simulate(stored, noLiveStates, { model: "mine" })];
    expect(chosen).toEqual([{ deploymentId: listed[0]?.id, probability: 1 }]);
  });
});

test("the routing rules list groups, fallbacks, and aliases", () => {
  const { groups, aliases, defaults } = source.routing([], noLiveStates);
  expect(groups.find(({ name }) => name === "spread")).toMatchObject({
    strategy: "simple-shuffle",
    retries: 1,
    fallbacks: ["nowhere", "spare"],
    deployments: [{ id: "heavy", weight: 3 }, { id: "light" }, { id: "never" }],
  });
  expect(groups.find(({ name }) => name === "small")?.contextWindowFallbacks).toEqual(["spare"]);
  expect(aliases).toEqual([{ name: "fast", model: "spread", hidden: false }]);
  expect(defaults).toMatchObject({ retries: 1, checksBeforeCall: true });
});

function storedModel(id: string, status: StoredModel["status"] = "active"): StoredModel {
  const at = new Date();
  return {
    id,
    name: id,
    providerId: "prov_1",
    provider: "house",
    providerKind: "openai",
    inferenceModelId: "gpt-4o-mini",
    type: "chat",
    description: "",
    contextWindow: null,
    maxOutputTokens: null,
    capabilities: [],
    inputModalities: ["text"],
    outputModalities: ["text"],
    params: {},
    priceVersionId: null,
    price: null,
    perImage: null,
    perAudioSecond: null,
    perMillionCharacters: null,
    status,
    deprecatedAt: null,
    createdAt: at,
    updatedAt: at,
    baseUrl: null,
    hasCredential: true,
  };
}
