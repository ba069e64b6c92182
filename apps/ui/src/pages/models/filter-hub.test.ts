import { expect, test } from "vitest";
import type { HubModel } from "../../api/hub-model.ts";
import { noFilters } from "./active-filters.ts";
import { countFacet, filterHub, type HubQuery } from "./filter-hub.ts";
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
const dear = model("large", { capabilities: ["tools", "vision"] }, { inputPerMillionTokens: 3_000_000_000n });
const unpriced = model("inner", { providers: ["hosted_vllm"], available: false });
const ids = (query: Partial<HubQuery>) => filterHub([dear, unpriced, cheap], { ...all, ...query }).map(({ id }) => id);

test("without a filter the order of the server stays", () => {
  expect(ids({})).toEqual(["large", "inner", "mini"]);
});

test("all capabilities that are asked for must be there, of providers one is enough", () => {
  expect(ids({ can: ["tools", "vision"] })).toEqual(["large"]);
  expect(ids({ provider: ["openai", "hosted_vllm"] })).toEqual(["large", "inner", "mini"]);
});

test("a model without a price is not below any", () => {
  expect(ids({ maxIn: "1" })).toEqual(["mini"]);
  expect(ids({ maxIn: "0.25" })).toEqual(["mini"]);
  expect(ids({ priced: "true" })).toEqual(["large", "mini"]);
});

test("what is not known comes last, whichever way it is sorted", () => {
  expect(ids({ sort: "in" })).toEqual(["mini", "large", "inner"]);
  expect(ids({ sort: "-in" })).toEqual(["large", "mini", "inner"]);
});

test("a value counts what it would leave beside the other filters, its own facet apart", () => {
  const counts = countFacet(
    [dear, unpriced, cheap],
    { ...all, provider: ["hosted_vllm"], can: ["vision"] },
    "provider",
  );
  expect(counts).toEqual([
    { value: "openai", label: "OpenAI", count: 1 },
    { value: "hosted_vllm", label: "vLLM", count: 0 },
  ]);
});

test("a name that begins with the word ranks before one that holds it, and that before a provider", () => {
  const [begins, holds, provider] = [model("gpt-5"), model("my-gpt"), model("x", { providers: ["gptlab"] })];
  const found = filterHub([provider, holds, begins], { ...all, search: "gpt" });
  expect(found.map(({ id }) => id)).toEqual(["gpt-5", "my-gpt", "x"]);
  expect(rankModel(begins, "gpt nowhere")).toBeNull();
  expect(rankModel(dear, "vision tools")).not.toBeNull();
});
