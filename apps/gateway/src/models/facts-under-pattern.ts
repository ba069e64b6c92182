import type { Capabilities } from "@tollgate/catalog/capabilities.ts";
import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { fillPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { Deployment, ModelFacts } from "../call/deployment.ts";
import { factsOfModel, hiddenTokensAt } from "./model-facts.ts";

const capabilityNames = [
  "supports_vision",
  "supports_function_calling",
  "supports_parallel_function_calling",
  "supports_response_schema",
  "supports_web_search",
  "supports_reasoning",
] as const satisfies readonly (keyof Capabilities)[];

/**
 * Returns a wildcard deployment's metadata for one model name. Configured metadata takes precedence over the catalog.
 */
export function factsUnderPattern(
  deployment: Deployment,
  captures: readonly string[],
  asked: string,
  catalog: Catalog,
): ModelFacts {
  const { facts, shownParams } = deployment;
  const known = factsOfModel([fillPattern(deployment.model, captures, asked)], catalog);
  return {
    ...knownCapabilities(deployment, known),
    mode: facts.mode ?? known.mode,
    maxInputTokens: facts.maxInputTokens ?? known.maxInputTokens,
    maxOutputTokens: facts.maxOutputTokens ?? known.maxOutputTokens,
    price: facts.price ?? known.price,
    imagePrices: facts.price === null ? known.imagePrices : facts.imagePrices,
    maxImageTokens: known.maxImageTokens,
    billsHiddenTokens: facts.billsHiddenTokens ?? hiddenTokensAt(shownParams.api_base ?? null, known),
  };
}

function knownCapabilities({ facts, shownInfo }: Deployment, known: ModelFacts): Capabilities {
  const entries = capabilityNames.map((name) => {
    const configured = shownInfo[name];
    return [name, typeof configured === "boolean" ? configured : facts[name] || known[name]];
  });
  return Object.fromEntries(entries) as Capabilities;
}
