import type { Capabilities } from "@tollgate/catalog/capabilities.ts";
import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { configureCapabilities } from "@tollgate/catalog/model-capabilities.ts";
import { fillPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { Deployment, ModelFacts } from "../call/deployment.ts";
import { factsOfModel, flagsOf, hiddenTokensAt, priceRegionOf, withConfiguredFees } from "./model-facts.ts";
import { type SoldFacts, sellFacts } from "./sold-prices.ts";

const capabilityNames = [
  "supports_vision",
  "supports_function_calling",
  "supports_parallel_function_calling",
  "supports_response_schema",
  "supports_web_search",
  "supports_reasoning",
] as const satisfies readonly (keyof Capabilities)[];

/** Returns a wildcard deployment's metadata for one model name, with the prices that calls are charged at. */
export function soldFactsUnderPattern(
  deployment: Deployment,
  captures: readonly string[],
  asked: string,
  catalog: Catalog,
): SoldFacts & { readonly base: ModelFacts } {
  const { selling } = deployment;
  const unsold = selling === undefined ? deployment : { ...deployment, facts: selling.base };
  const base = factsUnderPattern(unsold, captures, asked, catalog);
  if (selling === undefined) return { base, facts: base, providerPrices: null };
  const region = priceRegionOf(deployment.provider.name, deployment.apiBase, deployment.options ?? {});
  const listed = factsOfModel([fillPattern(deployment.model, captures, asked)], catalog, region);
  return { base, ...sellFacts({ ...selling, base }, listed) };
}

/**
 * Returns a wildcard deployment's metadata for one model name, with the prices before margins. Configured metadata takes
 * precedence over the catalog.
 */
export function factsUnderPattern(
  deployment: Deployment,
  captures: readonly string[],
  asked: string,
  catalog: Catalog,
): ModelFacts {
  const { facts, shownParams } = deployment;
  const region = priceRegionOf(deployment.provider.name, deployment.apiBase, deployment.options ?? {});
  const known = factsOfModel([fillPattern(deployment.model, captures, asked)], catalog, region);
  const mode = facts.mode ?? known.mode;
  return {
    ...knownCapabilities(deployment, known),
    mode,
    maxInputTokens: facts.maxInputTokens ?? known.maxInputTokens,
    maxOutputTokens: facts.maxOutputTokens ?? known.maxOutputTokens,
    ...(facts.price === null ? withConfiguredFees(pricesOf(known), mode, facts.fees) : pricesOf(facts)),
    ...(facts.price === null && known.isPriceRefused && { isPriceRefused: true as const }),
    imagePrices: facts.price === null ? known.imagePrices : facts.imagePrices,
    maxImageTokens: known.maxImageTokens,
    billsHiddenTokens: facts.billsHiddenTokens ?? hiddenTokensAt(shownParams.api_base ?? null, known),
    capabilities: configureCapabilities(known.capabilities, flagsOf(deployment.shownInfo, deployment.isFromDatabase)),
    configuredParams: facts.configuredParams,
  };
}

function pricesOf({ price, rateCard }: ModelFacts): Pick<ModelFacts, "price" | "rateCard"> {
  return { price, rateCard };
}

function knownCapabilities({ facts, shownInfo }: Deployment, known: ModelFacts): Capabilities {
  const entries = capabilityNames.map((name) => {
    const configured = shownInfo[name];
    return [name, typeof configured === "boolean" ? configured : facts[name] || known[name]];
  });
  return Object.fromEntries(entries) as Capabilities;
}
