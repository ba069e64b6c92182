import type { ModelEntry } from "@tollgate/contracts/models/model-entry.ts";
import type { Deployment, ModelFacts } from "../call/deployment.ts";
import type { Provider } from "../call/provider.ts";
import { operationOfMode } from "../operations/operation-of-mode.ts";
import type { VisibleModel } from "./find-visible-model.ts";
import { supportedBy } from "./offered-operations.ts";

/** Creation timestamp that the API returns for models whose real creation time is unknown. */
const UNKNOWN_CREATION = 1_677_610_602;

/** Returns a model's entry in the model list. */
export function describeModel(model: VisibleModel): ModelEntry {
  const [first] = model.deployments;
  if (first === undefined) throw new Error(`the model '${model.id}' has no deployment`);
  return { id: model.id, object: "model", created: UNKNOWN_CREATION, owned_by: providerNameOf(first) };
}

/** Returns an access group's entry in the model list. */
export function describeAccessGroup(name: string): ModelEntry {
  return { id: name, object: "model", created: UNKNOWN_CREATION, owned_by: "access_group" };
}

/** Returns the displayed provider name, which the settings may override. */
export function providerNameOf({ shownInfo, provider }: Deployment): string {
  return typeof shownInfo.litellm_provider === "string" ? shownInfo.litellm_provider : provider.name;
}

/** Returns the parameters that a deployment is known to support. */
export function supportedParamsOf({ offers, facts }: Pick<Deployment, "offers" | "facts">): readonly string[] {
  return facts.configuredParams ?? [...(offers[operationOfMode(facts.mode)]?.supportedParams ?? [])];
}

/** Returns the parameters that a provider's model is known to support; null if the provider doesn't serve it. */
export function supportedParamsUnder(
  provider: Provider,
  upstreamModel: string,
  facts: ModelFacts,
): readonly string[] | null {
  const operation = operationOfMode(facts.mode);
  const translation = (provider.forModel?.(upstreamModel) ?? provider).translations[operation];
  if (translation === undefined) return null;
  return facts.configuredParams ?? [...supportedBy(translation, upstreamModel, operation, facts)];
}

/** Returns the names that are in every list, in the order of the first one. */
export function inAll(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  return first.filter((name) => others.every((list) => list.includes(name)));
}
