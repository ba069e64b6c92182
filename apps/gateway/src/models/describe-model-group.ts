import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { picoToUsdNumber } from "@tollgate/catalog/usd.ts";
import type { ModelGroupEntry } from "@tollgate/contracts/models/model-group-info.ts";
import { fillPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { Deployment, ModelFacts } from "../call/deployment.ts";
import { inAll, providerNameOf, supportedParamsOf, supportedParamsUnder } from "./describe-model.ts";
import { factsUnderPattern, soldFactsUnderPattern } from "./facts-under-pattern.ts";
import type { VisibleModel } from "./find-visible-model.ts";

/** Describes a model group for the model information API by combining the metadata of its deployments. */
export function describeModelGroup(model: VisibleModel, catalog: Catalog, isHubPublic: boolean): ModelGroupEntry {
  const { id, deployments } = model;
  const facts = deployments.map((deployment) => factsOf(deployment, model, catalog));
  const prices = facts.flatMap(({ price }) => (price === null ? [] : [price]));
  const hasAny = (name: CapabilityName) => facts.some((fact) => fact[name]);
  return {
    model_group: id,
    providers: [...new Set(deployments.map(providerNameOf))],
    max_input_tokens: largest(facts.map(({ maxInputTokens }) => maxInputTokens)),
    max_output_tokens: largest(facts.map(({ maxOutputTokens }) => maxOutputTokens)),
    input_cost_per_token: largest(prices.map(({ input }) => picoToUsdNumber(input))) ?? 0,
    output_cost_per_token: largest(prices.map(({ output }) => picoToUsdNumber(output))) ?? 0,
    input_cost_per_pixel: largest(deployments.map(pixelPriceOf)),
    pricing_known: prices.length > 0,
    mode: facts.find(({ mode }) => mode !== null)?.mode ?? "chat",
    tpm: sum(deployments.map(({ tpm }) => tpm)),
    rpm: sum(deployments.map(({ rpm }) => rpm)),
    supports_parallel_function_calling: hasAny("supports_parallel_function_calling"),
    supports_vision: hasAny("supports_vision"),
    supports_function_calling: hasAny("supports_function_calling"),
    supports_web_search: hasAny("supports_web_search"),
    supports_reasoning: hasAny("supports_reasoning"),
    supported_openai_params: [
      ...inAll(
        deployments.map((deployment) => supportedParamsMatching(deployment, model.captures, model.groupName, catalog)),
      ),
    ],
    is_public_model_group: isHubPublic && deployments.every(({ teamId }) => teamId === null),
  };
}

type CapabilityName = Extract<keyof ModelFacts, `supports_${string}`>;

/**
 * Returns a deployment's metadata. For a pattern, returns only configured metadata, because the pattern can match
 * different models.
 */
function factsOf(deployment: Deployment, { id, groupName, captures }: VisibleModel, catalog: Catalog): ModelFacts {
  const isConcrete = captures !== null && !id.includes("*");
  return isConcrete ? soldFactsUnderPattern(deployment, captures, groupName, catalog).facts : deployment.facts;
}

/**
 * Returns the parameters that a deployment supports for one model name. For a pattern itself, which can match different
 * models, returns the parameters of the provider's API.
 */
export function supportedParamsMatching(
  deployment: Deployment,
  captures: readonly string[] | null,
  asked: string,
  catalog: Catalog,
): readonly string[] {
  if (captures === null || asked.includes("*")) return supportedParamsOf(deployment);
  const facts = factsUnderPattern(deployment, captures, asked, catalog);
  const upstreamModel = fillPattern(deployment.upstreamModel, captures, asked);
  return supportedParamsUnder(deployment.provider, upstreamModel, facts) ?? [];
}

function pixelPriceOf({ shownParams, shownInfo }: Deployment): number | null {
  const written = shownParams.input_cost_per_pixel ?? shownInfo.input_cost_per_pixel;
  return written === undefined ? null : Number(written);
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
