import { type Capabilities, describeCapabilities } from "@tollgate/catalog/capabilities.ts";
import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { billsHiddenTokens } from "@tollgate/catalog/hidden-tokens.ts";
import { maxImageTokens, UNKNOWN_IMAGE_TOKENS } from "@tollgate/catalog/image-tokens.ts";
import type { Model } from "@tollgate/catalog/model.ts";
import { capabilitiesOf, configureCapabilities, unknownCapabilities } from "@tollgate/catalog/model-capabilities.ts";
import { imagePricesOf, priceOfModel, priceRulesOf } from "@tollgate/catalog/price-of-model.ts";
import { billingUnits, type OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import { composePrice, withFees } from "@tollgate/domain/pricing/compose-price.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { PriceSet } from "@tollgate/domain/pricing/price-terms.ts";
import {
  cardInRegion,
  MAX_CARD_RULES,
  type PriceRule,
  pricesOfCard,
  type RateCard,
} from "@tollgate/domain/pricing/rate-card.ts";
import { matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { DeploymentSettings, GatewaySettings } from "@tollgate/runtime/settings/settings.ts";
import type { ConfiguredFees, ModelFacts } from "../call/deployment.ts";
import { alwaysSearches } from "../operations/search-traits.ts";
import { listedNameOf } from "../providers/bedrock/bedrock-address.ts";
import { adjustmentsOf, sellFacts } from "./sold-prices.ts";

const NO_IMAGE_PRICES: ReadonlyMap<string, Price> = new Map();

const noCapabilities: Capabilities = {
  supports_vision: false,
  supports_function_calling: false,
  supports_parallel_function_calling: false,
  supports_response_schema: false,
  supports_web_search: false,
  supports_reasoning: false,
};

/**
 * Returns a configured deployment's metadata. Looks it up by base model, by model, and by model without the provider.
 */
export function factsOfDeployment(settings: DeploymentSettings, catalog: Catalog): ModelFacts {
  const { params, info } = settings;
  const known = factsOfModel(
    [info.baseModel, params.model].filter((name) => name !== null),
    catalog,
    priceRegionOf(params.provider, params.apiBase, params.providerOptions),
  );
  const mode = info.mode ?? known.mode;
  const { prices, priceRules } = settings.params;
  const configured = composePrice(mode, prices);
  // Fees can be set for a model whose other prices are in the catalog.
  const price = configured ?? (known.price === null ? null : withFees(known.price, mode, prices));
  const listed = configured === null ? (known.rateCard?.rules ?? []) : [];
  const fees = price === null ? feesOf(settings) : null;
  return {
    ...known,
    ...configuredCapabilities(info.shown),
    mode,
    maxInputTokens: info.maxInputTokens ?? known.maxInputTokens,
    maxOutputTokens: info.maxOutputTokens ?? known.maxOutputTokens,
    price,
    rateCard: rateCardOf(price, [...listed, ...priceRules]),
    ...(fees !== null && { fees }),
    imagePrices: configured === null ? withFeesEach(known.imagePrices, mode, prices) : NO_IMAGE_PRICES,
    billsHiddenTokens: hiddenTokensOf(settings, known),
    capabilities: configureCapabilities(known.capabilities, flagsOf(info.shown, settings.source.file === "database")),
    configuredParams: configuredParamsOf(info.shown),
  };
}

/** Returns the prices by quality and size with the fees that the deployment adds. */
function withFeesEach(
  listed: ReadonlyMap<string, Price>,
  mode: string | null,
  fees: OptionalPrices,
): ReadonlyMap<string, Price> {
  if (listed.size === 0) return listed;
  return new Map([...listed].map(([name, price]) => [name, withFees(price, mode, fees)]));
}

/**
 * Returns the configured flags. A stored model lists only the capabilities that it has, so a capability that it doesn't
 * list is unknown.
 */
export function flagsOf(
  shown: Readonly<Record<string, unknown>>,
  isFromDatabase: boolean,
): Readonly<Record<string, unknown>> {
  if (!isFromDatabase) return shown;
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== false));
}

function configuredParamsOf({ supported_openai_params: listed }: Readonly<Record<string, unknown>>) {
  return Array.isArray(listed) && listed.length > 0 ? listed.map(String) : null;
}

/** Returns the fees and conditions that are configured for models whose other prices are unknown here. */
function feesOf({ params: { prices, priceRules } }: DeploymentSettings): ConfiguredFees | null {
  const hasPrice = billingUnits.some(({ price }) => prices[price] !== null);
  return hasPrice || priceRules.length > 0 ? { prices, rules: priceRules } : null;
}

/** Returns the price and the conditions of a model from the catalog, with the fees that the deployment adds. */
export function withConfiguredFees(
  known: Pick<ModelFacts, "price" | "rateCard">,
  mode: string | null,
  fees: ConfiguredFees | undefined,
): Pick<ModelFacts, "price" | "rateCard"> {
  if (fees === undefined || known.price === null) return known;
  const price = withFees(known.price, mode, fees.prices);
  return { price, rateCard: rateCardOf(price, [...(known.rateCard?.rules ?? []), ...fees.rules]) };
}

/** Returns the catalog's prices of a configured deployment's model. */
export function listedPricesOf({ params, info }: DeploymentSettings, catalog: Catalog): PriceSet {
  return factsOfModel(
    [info.baseModel, params.model].filter((name) => name !== null),
    catalog,
    priceRegionOf(params.provider, params.apiBase, params.providerOptions),
  );
}

/** Where the price of a deployment comes from. */
interface DeploymentPricing {
  /** The standard prices of its calls. There are none if they depend on the requested model. */
  readonly sold: PriceSet;
  /** The provider's prices. */
  readonly bought: PriceSet;
  /** True if the model searches the web for every request. */
  readonly alwaysSearches: boolean;
  /** True if the catalog's price applies. */
  readonly isFromCatalog: boolean;
  /** True if the deployment serves all models that match a pattern. */
  readonly isPattern: boolean;
  /** The catalog's entries for its models. A deployment without a pattern has at most one. */
  readonly listed: readonly Model[];
}

/** Returns a configured deployment's price and its entries in the catalog. */
export function pricingOf(
  settings: DeploymentSettings,
  catalog: Catalog,
  gateway: Pick<GatewaySettings, "costMargin" | "costDiscount">,
): DeploymentPricing {
  const { params, info } = settings;
  const base = factsOfDeployment(settings, catalog);
  const isFromCatalog = composePrice(base.mode, params.prices) === null;
  const { pricesAreCosts } = params;
  const adjustments = adjustmentsOf(gateway, params.provider ?? "");
  const selling = { base, ownsPrices: !isFromCatalog, pricesAreCosts, adjustments };
  const { facts, providerPrices } = sellFacts(selling, listedPricesOf(settings, catalog));
  const pricing = {
    sold: facts,
    bought: providerPrices ?? facts,
    alwaysSearches: alwaysSearches(params.provider ?? "", params.upstreamModel),
    isFromCatalog,
  };
  if (params.model.includes("*")) {
    const known = params.provider === null ? [] : catalog.modelsOfProvider(params.provider);
    const listed = known.filter(({ model }) => matchPattern(params.upstreamModel, model) !== null);
    return { ...pricing, isPattern: true, listed };
  }
  const names = [info.baseModel, params.model].filter((name) => name !== null);
  const entry = catalog.find(names.flatMap(spellingsOf));
  return { ...pricing, isPattern: false, listed: entry === undefined ? [] : [entry] };
}

/** A price of a model in the catalog, and what the provider serves at this price. */
interface CatalogPrice {
  readonly price: Price;
  /** Null if the price has no condition. */
  readonly condition: string | null;
}

/**
 * Returns all prices of a model in the catalog, by what they are for: a condition, an image size, or all calls (""), on
 * deployments in each region that has its own prices.
 */
export function catalogPricesOf(model: string, catalog: Catalog): ReadonlyMap<string, CatalogPrice> {
  const rules = catalog.find(spellingsOf(model))?.prices.rules ?? [];
  const prices = new Map<string, CatalogPrice>();
  for (const region of new Set([null, ...rules.flatMap(({ when }) => when.region ?? [])])) {
    const { price, rateCard, imagePrices } = factsOfModel([model], catalog, region);
    const place = region === null ? "" : ` in ${region}`;
    if (price !== null) prices.set(place, { price, condition: null });
    for (const one of rateCard === null ? [] : pricesOfCard(rateCard)) prices.set((one.condition ?? "") + place, one);
    for (const [size, own] of imagePrices) {
      prices.set(`image ${size}${place}`, { price: own, condition: `image ${size}` });
    }
  }
  return prices;
}

/** OpenAI's hosts that process requests in one region. */
const OPENAI_REGION = /^https:\/\/(us|eu)\.api\.openai\.com(?:[:/]|$)/;

/**
 * Returns the region that a deployment's price depends on; null if it has none. OpenAI names it in the URL. Vertex AI
 * has one price for the global endpoint and another one for all regions.
 */
export function priceRegionOf(
  provider: string | null,
  apiBase: string | null,
  options: Readonly<Record<string, unknown>>,
): string | null {
  if (provider === "openai") return OPENAI_REGION.exec(apiBase ?? "")?.[1] ?? null;
  if (provider !== "vertex_ai") return null;
  const isGlobal = options.vertex_location === "global" || apiBase?.startsWith("https://aiplatform.googleapis.com");
  return isGlobal === true ? null : "regional";
}

/** Providers whose responses name the region. */
const namesRegion: ReadonlySet<string> = new Set(["anthropic"]);

/**
 * Returns the catalog's metadata for the first known name. Tries each name with and without its provider. `region` is
 * the region of the deployment, if its price depends on it.
 */
export function factsOfModel(names: readonly string[], catalog: Catalog, region: string | null = null): ModelFacts {
  const tried = names.flatMap(spellingsOf);
  const model = catalog.find(tried);
  if (model === undefined)
    return {
      ...noCapabilities,
      mode: null,
      maxInputTokens: null,
      maxOutputTokens: null,
      price: null,
      rateCard: null,
      imagePrices: NO_IMAGE_PRICES,
      billsHiddenTokens: null,
      maxImageTokens: UNKNOWN_IMAGE_TOKENS,
      capabilities: unknownCapabilities,
      configuredParams: null,
    };
  const base = priceOfModel(model);
  const listed = rateCardOf(base, priceRulesOf(model));
  const card = listed === null || namesRegion.has(model.provider) ? listed : cardInRegion(listed, region);
  const price = card?.base ?? base;
  return {
    ...describeCapabilities(model),
    mode: model.mode,
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens: model.maxOutputTokens,
    price,
    ...(model.isRefused && { isPriceRefused: true as const }),
    rateCard: rateCardOf(price, card?.rules ?? []),
    imagePrices: imagePricesOf(model),
    billsHiddenTokens: billsHiddenTokens(model),
    maxImageTokens: maxImageTokens(model),
    capabilities: capabilitiesOf(model),
    configuredParams: null,
  };
}

/** Returns the price with its rules, or null if there are none. */
function rateCardOf(base: Price | null, rules: readonly PriceRule[]): RateCard | null {
  if (base === null || rules.length === 0) return null;
  if (rules.length > MAX_CARD_RULES) throw new Error(`A price can have at most ${MAX_CARD_RULES} rules.`);
  return { base, rules };
}

function hiddenTokensOf({ params, info }: DeploymentSettings, known: ModelFacts): boolean | null {
  if (info.shown.supports_reasoning === true) return true;
  // Simulated models have no hidden output.
  return params.provider === "sim" ? false : hiddenTokensAt(params.apiBase, known);
}

/**
 * Reports whether the model may bill hidden tokens. The catalog describes the provider's own model, but a server at
 * another URL may serve any model under the same name.
 */
export function hiddenTokensAt(apiBase: unknown, known: ModelFacts): boolean | null {
  return apiBase === null || known.billsHiddenTokens === true ? known.billsHiddenTokens : null;
}

/** Returns a name with and without its provider, and without the prefixes that settings use for Bedrock models. */
function spellingsOf(name: string): readonly string[] {
  if (!name.includes("/")) return [name];
  const bare = name.slice(name.indexOf("/") + 1);
  return name.startsWith("bedrock/") ? [name, bare, `bedrock/${listedNameOf(bare)}`] : [name, bare];
}

function configuredCapabilities(shown: Readonly<Record<string, unknown>>): Partial<Capabilities> {
  const names = Object.keys(noCapabilities) as (keyof Capabilities)[];
  return Object.fromEntries(
    names.filter((name) => typeof shown[name] === "boolean").map((name) => [name, shown[name]]),
  );
}
