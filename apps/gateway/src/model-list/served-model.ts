import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { priceOfModel } from "@tollgate/catalog/price-of-model.ts";
import type { Priced } from "../pipeline/account/priced-as.ts";
import { versionOf } from "./build-model-list.ts";
import type { Deployment } from "./deployment.ts";
import { factsOfModel } from "./model-facts.ts";

/**
 * Matches the model name in a response. Quotes inside JSON strings are escaped, so text that the model wrote can't
 * match. Google's field comes after the tool arguments, which are plain JSON and may contain a `model` member.
 */
const MODEL = /(?<!\\)"model"\s*:\s*"([^"\\]{1,200})"/;
const GOOGLE_MODEL = /(?<!\\)"modelVersion"\s*:\s*"([^"\\]{1,200})"/;
/** Suffixes that providers add for a snapshot of the same model: a date, a revision number, or "latest". */
const SNAPSHOT = /[-@](?:\d{4}-?\d{2}-?\d{2}|\d{4}|\d{3}|latest)$/;
/**
 * Maximum number of cached names. Without a maximum, a hostile upstream could fill the cache by sending a new name with
 * every response.
 */
const MAX_REMEMBERED = 256;

/** The price of the model that a response names. */
export interface ServedModel {
  /** Null if the catalog has no price for this name. */
  readonly priced: Priced | null;
}

/**
 * Returns the model that a response names, or null if that is the requested model. Aggregators may serve a different
 * model and bill for it. `text` is a whole response, or the beginning of a stream.
 */
export function otherModelIn(text: string, { upstreamModel, prepared, provider }: Deployment): string | null {
  const at = text.indexOf('"model"');
  // This code runs for every call, and nearly every response repeats the requested name, so that case is checked first.
  if (at >= 0 && text.startsWith(prepared.modelJson, at + '"model":'.length)) return null;
  const isGoogle = provider.name === "gemini" || provider.name === "vertex_ai";
  const named = (isGoogle ? GOOGLE_MODEL : MODEL).exec(text)?.[1];
  return named === undefined || named === upstreamModel ? null : named;
}

const remembered = new WeakMap<Deployment, Map<string, ServedModel | null>>();

/** Returns the price of the named model, or null if the name is another name for the requested model. */
export function servedModel(deployment: Deployment, name: string, catalog: Catalog): ServedModel | null {
  const known = remembered.get(deployment) ?? new Map<string, ServedModel | null>();
  remembered.set(deployment, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const served = isSameModel(deployment, name, catalog) ? null : priceOf(deployment, name, catalog);
  if (known.size < MAX_REMEMBERED) known.set(name, served);
  return served;
}

function isSameModel(deployment: Deployment, name: string, catalog: Catalog): boolean {
  const { upstreamModel, provider } = deployment;
  // Operators choose the model names on their own servers and the names of Azure deployments, so a different name
  // doesn't indicate a different model.
  if (provider.defaultApiBase === null || provider.defaultApiBase.startsWith("http:")) return true;
  if (familyOf(upstreamModel) === familyOf(name)) return true;
  const [one, other] = [upstreamModel, name].map((model) => catalog.find([`${provider.name}/${model}`, model]));
  return one !== undefined && one.id === other?.id;
}

function priceOf(deployment: Deployment, name: string, catalog: Catalog): ServedModel {
  const model = `${deployment.provider.name}/${name}`;
  // A name with a vendor, as used by aggregators, refers to that vendor's model. A name without a vendor refers to the
  // provider's own model.
  const price = name.includes("/") ? factsOfModel([model, name], catalog).price : ownPriceOf(model, catalog);
  return { priced: price === null ? null : { price, priceVersionId: versionOf(model, price), pricedModel: model } };
}

function ownPriceOf(model: string, catalog: Catalog): Priced["price"] {
  const entry = catalog.find([model]);
  return entry === undefined ? null : priceOfModel(entry);
}

/** Returns a model's name without its vendor and snapshot suffix. */
function familyOf(model: string): string {
  return model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(SNAPSHOT, "");
}
