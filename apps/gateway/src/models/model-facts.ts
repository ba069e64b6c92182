import { type Capabilities, describeCapabilities } from "@tollgate/catalog/capabilities.ts";
import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { billsHiddenTokens } from "@tollgate/catalog/hidden-tokens.ts";
import { maxImageTokens, UNKNOWN_IMAGE_TOKENS } from "@tollgate/catalog/image-tokens.ts";
import { imagePricesOf, priceOfModel } from "@tollgate/catalog/price-of-model.ts";
import { composePrice } from "@tollgate/domain/pricing/compose-price.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { DeploymentSettings } from "@tollgate/runtime/settings/settings.ts";
import type { ModelFacts } from "../call/deployment.ts";
import { listedNameOf } from "../providers/bedrock/bedrock-address.ts";

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
  );
  const mode = info.mode ?? known.mode;
  const configured = composePrice(mode, settings.params.prices);
  return {
    ...known,
    ...configuredCapabilities(info.shown),
    mode,
    maxInputTokens: info.maxInputTokens ?? known.maxInputTokens,
    maxOutputTokens: info.maxOutputTokens ?? known.maxOutputTokens,
    price: configured ?? known.price,
    imagePrices: configured === null ? known.imagePrices : NO_IMAGE_PRICES,
    billsHiddenTokens: hiddenTokensOf(settings, known),
  };
}

/** Returns the catalog's metadata for the first known name. Tries each name with and without its provider. */
export function factsOfModel(names: readonly string[], catalog: Catalog): ModelFacts {
  const tried = names.flatMap(spellingsOf);
  const model = catalog.find(tried);
  if (model === undefined)
    return {
      ...noCapabilities,
      mode: null,
      maxInputTokens: null,
      maxOutputTokens: null,
      price: null,
      imagePrices: NO_IMAGE_PRICES,
      billsHiddenTokens: null,
      maxImageTokens: UNKNOWN_IMAGE_TOKENS,
    };
  return {
    ...describeCapabilities(model),
    mode: model.mode,
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens: model.maxOutputTokens,
    price: priceOfModel(model),
    imagePrices: imagePricesOf(model),
    billsHiddenTokens: billsHiddenTokens(model),
    maxImageTokens: maxImageTokens(model),
  };
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
