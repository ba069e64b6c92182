import { expect, test } from "vitest";
import {
  bodyOf,
  type DeploymentDraft,
  draftOf,
  emptyDraft,
  type Model,
  type Pricing,
  problemOf,
} from "./deployment-draft.ts";
import type { Deployment } from "./filter-deployments.ts";

const pricing = {
  inputPerMillionTokens: 1_250_000_000n,
  outputPerMillionTokens: 10_000_000_000n,
  cachedInputPerMillionTokens: null,
  perImage: null,
  perAudioSecond: null,
  perMillionCharacters: null,
} as unknown as Pricing;
const deployment = {
  provider: "azure",
  group: "gpt-5",
  model: "acme-gpt5",
  pricing,
  params: {
    rpm: 60,
    tpm: 9_000,
    timeoutSeconds: 30,
    dropParams: true,
    additionalDropParams: ["seed"],
    allowedParams: ["top_k"],
    unknownParams: "drop",
    priceRules: [{ serviceTier: "priority", perRequest: 1 }],
  },
} as unknown as Deployment;
const model = { type: "chat", description: "Ours", contextWindow: 400_000, maxOutputTokens: null } as unknown as Model;

const edit = (change: Partial<DeploymentDraft>) => bodyOf({ ...draftOf(deployment, model), ...change }, false, null);

test("an unchanged form changes nothing and sends no price", () => {
  expect(edit({})).toEqual({
    inferenceModelId: "acme-gpt5",
    type: "chat",
    description: "Ours",
    contextWindow: 400_000,
    maxOutputTokens: null,
    params: deployment.params,
  });
});

test("clearing a field removes its parameter", () => {
  const emptied = { rpm: "", timeoutSeconds: "", dropParams: false, contextWindow: "", allowedParams: "" };
  const { params, contextWindow } = edit(emptied);
  const { unknownParams, priceRules } = deployment.params as Record<string, unknown>;
  expect(params).toEqual({ tpm: 9_000, additionalDropParams: ["seed"], unknownParams, priceRules });
  expect(contextWindow).toBeNull();
});

test("price rules are for the current prices, so other prices remove them", () => {
  const prices = { ...emptyDraft.prices, inputPerMillionTokens: "1", outputPerMillionTokens: "2" };
  expect(edit({ priceFrom: "custom", prices }).params?.priceRules).toBeUndefined();
});

test("custom prices are exact, and clearing a price field removes the price", () => {
  const prices = { ...emptyDraft.prices, inputPerMillionTokens: "0.1", outputPerMillionTokens: "2" };
  expect(edit({ priceFrom: "custom", prices }).pricing).toEqual({
    inputPerMillionTokens: 100_000_000n,
    outputPerMillionTokens: 2_000_000_000n,
    cachedInputPerMillionTokens: null,
  });
});

test("the form sends the catalog price for an existing deployment and leaves the price of a new deployment to the server", () => {
  const draft = { ...draftOf(deployment, model), priceFrom: "catalog" } as const;
  expect(bodyOf(draft, false, pricing).pricing).toMatchObject({ inputPerMillionTokens: 1_250_000_000n });
  expect(bodyOf(draft, true, pricing)).not.toHaveProperty("pricing");
});

test.each([
  [{}, "Choose a provider"],
  [{ provider: "azure" }, "Enter the provider model ID"],
  [{ provider: "azure", model: "x" }, "Enter a public model name"],
  [{ provider: "azure", model: "x", id: "x", rpm: "many" }, "Limits must be whole numbers"],
  [{ provider: "azure", model: "x", id: "x" }, null],
] as const)("a new deployment with %j has this problem: %s", (change, problem) => {
  expect(problemOf({ ...emptyDraft, ...change }, true)).toBe(problem);
});
