import { expect, test } from "vitest";
import type { HubModel } from "../../api/hub-model.ts";
import { noFilters } from "./active-filters.ts";
import { countFacet, filterHub, type HubQuery, withoutSimulated } from "./filter-hub.ts";
import { rankModel } from "./rank-model.ts";

const all: HubQuery = { ...noFilters, sort: "used" };

function model(id: string, changes: Partial<HubModel> = {}, pricing: Partial<HubModel["pricing"]> = {}): HubModel {
  return {
    id,
    providers: ["openai"],
    mode: "chat",
    description: null,
    contextWindow: 128_000,
    maxOutputTokens: null,
    inputModalities: ["text"],
    outputModalities: ["text"],
    capabilities: [],
    supportedParams: [],
    unsupportedParams: [],
    pricing: {
      unit: "nano-USD",
      inputPerMillionTokens: null,
      outputPerMillionTokens: null,
      cachedInputPerMillionTokens: null,
      perImage: null,
      perAudioSecond: null,
      perMillionCharacters: null,
      perRequest: 0n,
      usd: {},
      ...pricing,
    },
    status: "active",
    createdAt: null,
    deprecatedAt: null,
    limits: null,
    fallbacks: [],
    pattern: null,
    performance: null,
    available: true,
    source: null,
    ...changes,
  };
}

const cheap = model("mini", { capabilities: ["tools"] }, { inputPerMillionTokens: 250_000_000n });
const expensive = model("large", { capabilities: ["tools", "vision"] }, { inputPerMillionTokens: 3_000_000_000n });
const unpriced = model("inner", { providers: ["hosted_vllm"], available: false });
const ids = (query: Partial<HubQuery>) =>
  filterHub([expensive, unpriced, cheap], { ...all, ...query }).map(({ id }) => id);

test("preserves the server's order without a filter", () => {
  expect(ids({})).toEqual(["large", "inner", "mini"]);
});

test("leaves out built-in simulated models, unless they are asked for or there are no others", () => {
  const echo = model("sim/echo", { providers: ["sim"] });
  const own = model("support-chat", { providers: ["sim"] });
  const listed = (models: readonly HubModel[], query: Partial<HubQuery> = {}) =>
    withoutSimulated(models, { ...all, ...query }).map(({ id }) => id);
  expect(listed([cheap, echo, own])).toEqual(["mini", "support-chat"]);
  for (const query of [{ simulated: "true" }, { search: "echo" }, { provider: ["sim"] }]) {
    expect(listed([cheap, echo], query)).toEqual(["mini", "sim/echo"]);
  }
  expect(listed([echo])).toEqual(["sim/echo"]);
});

test("requires all selected capabilities but only one of the selected providers", () => {
  expect(ids({ can: ["tools", "vision"] })).toEqual(["large"]);
  expect(ids({ provider: ["openai", "hosted_vllm"] })).toEqual(["large", "inner", "mini"]);
});

test("a model without a price matches no price limit", () => {
  expect(ids({ maxIn: "1" })).toEqual(["mini"]);
  expect(ids({ maxIn: "0.25" })).toEqual(["mini"]);
  expect(ids({ priced: "true" })).toEqual(["large", "mini"]);
});

test("sorts unknown values last in both directions", () => {
  expect(ids({ sort: "in" })).toEqual(["mini", "large", "inner"]);
  expect(ids({ sort: "-in" })).toEqual(["large", "mini", "inner"]);
});

test("facet counts apply all filters except the facet's own filter", () => {
  const counts = countFacet(
    [expensive, unpriced, cheap],
    { ...all, provider: ["hosted_vllm"], can: ["vision"] },
    "provider",
  );
  expect(counts).toEqual([
    { value: "openai", label: "OpenAI", count: 1 },
    { value: "hosted_vllm", label: "vLLM", count: 0 },
  ]);
});

test("ranks names that start with the search term first, then names that contain it, then provider matches", () => {
  const [begins, holds, provider] = [model("gpt-5"), model("my-gpt"), model("x", { providers: ["gptlab"] })];
  const found = filterHub([provider, holds, begins], { ...all, search: "gpt" });
  expect(found.map(({ id }) => id)).toEqual(["gpt-5", "my-gpt", "x"]);
  expect(rankModel(begins, "gpt nowhere")).toBeNull();
  expect(rankModel(expensive, "vision tools")).not.toBeNull();
});
