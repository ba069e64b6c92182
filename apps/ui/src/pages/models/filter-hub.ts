import { parseUsd } from "@tollgate/sdk/platform";
import { capabilities, type HubModel, hasCapability, isPriced } from "../../api/hub-model.ts";
import { nameMode, nameProvider } from "../../format/model-names.ts";
import { rankModel } from "./rank-model.ts";

/** Hub query from the URL. Empty strings and lists don't filter. */
export interface HubQuery {
  readonly search: string;
  readonly provider: readonly string[];
  readonly mode: readonly string[];
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly can: readonly string[];
  readonly param: string;
  /** Minimum context window in tokens. */
  readonly context: string;
  /** Maximum price in dollars per million tokens. */
  readonly maxIn: string;
  readonly maxOut: string;
  readonly mine: string;
  readonly priced: string;
  /** Shows the built-in simulated models, too. */
  readonly simulated: string;
  readonly sort: string;
}

export type FacetName = "provider" | "mode" | "input" | "output" | "can" | "mine" | "priced";

interface FacetValue {
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

const ON = "true";
/** The provider of the built-in models, whose names start with it. */
const SIMULATED = "sim";
const isSimulated = (provider: string): boolean => provider === SIMULATED;

/**
 * Returns the models without the built-in simulated ones, which would outnumber the others. They are listed if the query
 * asks for them or searches, and if there are no other models.
 */
export function withoutSimulated(models: readonly HubModel[], query: HubQuery): readonly HubModel[] {
  if (query.simulated !== "" || query.search !== "" || query.provider.includes(SIMULATED)) return models;
  const others = models.filter(({ id, providers }) => !(id.startsWith("sim/") && providers.every(isSimulated)));
  return others.length === 0 ? models : others;
}

/** Returns the matching models in the requested order. A search puts the best match first. */
export function filterHub(models: readonly HubModel[], query: HubQuery): readonly HubModel[] {
  const found = models
    .filter((model) => passes(model, query, null))
    .map((model) => ({ model, rank: rankOf(model, query) }));
  const order = compareBy[query.sort.replace(/^-/, "")];
  const direction = query.sort.startsWith("-") ? -1 : 1;
  if (order !== undefined) found.sort((one, other) => order(one.model, other.model, direction));
  else if (query.search !== "") found.sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
  return found.map(({ model }) => model);
}

/** Returns the values of a facet, each with the number of models that match it and the other filters. */
export function countFacet(models: readonly HubModel[], query: HubQuery, facet: FacetName): readonly FacetValue[] {
  const others = models.filter((model) => passes(model, query, facet));
  const values = new Set([...models.flatMap((model) => valuesOf[facet](model)), ...chosenOf(query, facet)]);
  return [...values]
    .map((value) => ({
      value,
      label: labelOf(facet, value),
      count: others.filter((model) => valuesOf[facet](model).includes(value)).length,
    }))
    .sort((one, other) => orderOf(facet, one.value) - orderOf(facet, other.value) || other.count - one.count);
}

/** Reports whether a model passes all filters except the given facet's filter. */
function passes(model: HubModel, query: HubQuery, left: FacetName | null): boolean {
  const any = (facet: FacetName) => {
    const chosen = left === facet ? [] : chosenOf(query, facet);
    const own = valuesOf[facet](model);
    // All requested capabilities are required. For other facets, one match is enough.
    return chosen.length === 0 || (facet === "can" ? chosen.every(isIn(own)) : chosen.some(isIn(own)));
  };
  const { pricing } = model;
  return (
    facets.every(any) &&
    rankOf(model, query) !== null &&
    (query.param === "" || model.supportedParams.includes(query.param)) &&
    (query.context === "" || (model.contextWindow ?? 0) >= Number(query.context)) &&
    isWithin(pricing.inputPerMillionTokens, query.maxIn) &&
    isWithin(pricing.outputPerMillionTokens, query.maxOut)
  );
}

const facets: readonly FacetName[] = ["provider", "mode", "input", "output", "can", "mine", "priced"];

const valuesOf: Readonly<Record<FacetName, (model: HubModel) => readonly string[]>> = {
  provider: ({ providers }) => providers,
  mode: ({ mode }) => [mode],
  input: ({ inputModalities }) => inputModalities,
  output: ({ outputModalities }) => outputModalities,
  can: (model) => capabilities.map(({ name }) => name).filter((name) => hasCapability(model, name)),
  mine: ({ available }) => (available === true ? [ON] : []),
  priced: (model) => (isPriced(model) ? [ON] : []),
};

function chosenOf(query: HubQuery, facet: FacetName): readonly string[] {
  const chosen = query[facet];
  return typeof chosen === "string" ? (chosen === "" ? [] : [chosen]) : chosen;
}

function labelOf(facet: FacetName, value: string): string {
  if (facet === "provider") return nameProvider(value);
  if (facet === "mode") return nameMode(value);
  if (facet === "can") return capabilities.find(({ name }) => name === value)?.label ?? value;
  return value.slice(0, 1).toUpperCase() + value.slice(1);
}

/** Capabilities are listed in the order of their icons. */
function orderOf(facet: FacetName, value: string): number {
  return facet === "can" ? capabilities.findIndex(({ name }) => name === value) : 0;
}

function rankOf(model: HubModel, { search }: HubQuery): number | null {
  return search === "" ? 0 : rankModel(model, search);
}

/**
 * Reports whether a price is within the limit. If no limit is set, every price matches. A missing price matches no
 * limit.
 */
function isWithin(price: bigint | null, limit: string): boolean {
  const most = parseUsd(limit);
  return most === null || (price !== null && price <= most);
}

type Order = (one: HubModel, other: HubModel, direction: number) => number;

/** Unknown values come last in both sort directions. */
const byValue =
  (read: (model: HubModel) => number | bigint | string | null): Order =>
  (one, other, direction) => {
    const [a, b] = [read(one), read(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a === b ? 0 : (a < b ? -1 : 1) * direction;
  };

const compareBy: Readonly<Record<string, Order>> = {
  name: byValue(({ id }) => id.toLowerCase()),
  in: byValue(({ pricing }) => pricing.inputPerMillionTokens),
  out: byValue(({ pricing }) => pricing.outputPerMillionTokens),
  cached: byValue(({ pricing }) => pricing.cachedInputPerMillionTokens),
  context: byValue(({ contextWindow }) => contextWindow),
  output: byValue(({ maxOutputTokens }) => maxOutputTokens),
  speed: byValue(({ performance }) => performance?.medianFirstTokenMs ?? null),
  success: byValue(({ performance }) => performance?.successRate ?? null),
  newest: byValue(({ createdAt }) => createdAt),
};

const isIn = (list: readonly string[]) => (value: string) => list.includes(value);
