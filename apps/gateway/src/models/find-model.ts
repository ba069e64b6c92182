import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import { createRouteGroup } from "@tollgate/domain/routing/create-route-group.ts";
import { fillPattern } from "@tollgate/domain/routing/match-pattern.ts";
import { findRefusingList, type ListOwner } from "@tollgate/domain/routing/model-permission.ts";
import { resolveModel } from "@tollgate/domain/routing/resolve-model.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { Caller } from "../call/caller.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Deployment } from "../call/deployment.ts";
import { defaultDisconnectPolicy, type ModelList, priceSumOf } from "./build-model-list.ts";
import { soldFactsUnderPattern } from "./facts-under-pattern.ts";
import { isKnownName } from "./is-known-name.ts";
import { offeredOperations } from "./offered-operations.ts";
import { versionOfOwnKey, withOwnKey } from "./own-key.ts";
import { versionOfDeployment } from "./sold-prices.ts";

export interface ModelPolicy {
  readonly allowModelIdCalls: boolean;
  readonly hideInaccessibleModels: boolean;
  readonly inferProvider: (bareName: string) => string | null;
  /** Provides metadata for models that match only a pattern. */
  readonly catalog: Catalog;
  /** True if a model without a price cannot be called, because calls are billed. */
  readonly requiresPrices?: boolean;
  /** Wildcard deployments for one model name, which all callers share. Absent if each lookup builds its own. */
  readonly named?: NamedDeployments;
}

/** Deployments for one model name, by wildcard deployment and name. They apply as long as the list and the catalog. */
type NamedDeployments = WeakMap<Deployment, Map<string, Deployment>>;

const refusals: Record<ListOwner, { code: FailureCode; owner: string }> = {
  key: { code: "key_model_access_denied", owner: "key" },
  team: { code: "team_model_access_denied", owner: "team" },
  user: { code: "user_model_access_denied", owner: "user" },
  organization: { code: "org_model_access_denied", owner: "organization" },
};

/** Maximum length of a model name. Clients can send any name that matches a pattern, and lookups are cached by name. */
const MAX_NAME = 512;

/** The caller whose aliases and permissions apply. */
export type NamedCaller = Pick<Caller, "keyAliases" | "teamAliases" | "teamId" | "models">;

/**
 * Finds the model that a caller requests. Throws 404 if the model doesn't exist and 403 if the caller may not use it.
 * With the caller's own key, the model has only the deployments that take the key.
 */
export function findModel(
  list: ModelList,
  caller: NamedCaller,
  asked: string,
  policy: ModelPolicy,
  ownKey: Secret | null = null,
): ChosenModel {
  if (asked.length > MAX_NAME) throw unknownModel(`${asked.slice(0, MAX_NAME)}…`);
  const resolved = resolveModel(
    list.groups,
    asked,
    {
      keyAliases: caller.keyAliases,
      teamAliases: caller.teamAliases,
      teamId: caller.teamId,
      allowModelIdCalls: policy.allowModelIdCalls,
    },
    policy.inferProvider,
  );
  if (resolved === null) throw unknownModel(asked);
  const { name, group, captures } = resolved;
  // A call with the caller's own key has the prices of that key, so the name needs none.
  const namePolicy = ownKey === null ? policy : { catalog: policy.catalog };
  if (captures !== null && !isKnownName(group.members, captures, asked, namePolicy)) throw unknownModel(asked);
  const accessGroups = group.members.flatMap((deployment) => deployment.accessGroups);
  const named = (own: string) => ({ names: [own, name, group.name], accessGroups });
  const refusing = findRefusingList(
    caller.models,
    named(asked),
    named(resolved.nameInTeam),
    named(resolved.nameInOrganization),
  );
  if (refusing !== null) {
    if (policy.hideInaccessibleModels) throw unknownModel(asked);
    const { code, owner } = refusals[refusing];
    throw new Failure(code, `This ${owner} cannot use model '${asked}'. Ask its administrator for access.`, {
      param: "model",
      detail: { refusedModel: group.name },
    });
  }
  const deployments =
    captures === null
      ? group.members
      : group.members.map((deployment) => namedOnce(deployment, captures, asked, policy));
  const shownJson = Buffer.from(JSON.stringify(asked), "utf8").toString("latin1");
  const usable = ownKey === null ? withOperatorKey(deployments) : withOwnKey(deployments, ownKey);
  const route = createRouteGroup(name, usable, list.rulesOf(name, group.name), list.states.budget(group.name));
  return { ...route, shownName: asked, shownJson, shownHeader: toHeaderValue(asked) };
}

/** Leaves out the deployments that need the caller's own key, unless all of them do. */
function withOperatorKey(deployments: readonly Deployment[]): readonly Deployment[] {
  if (!deployments.some(({ needsOwnKey }) => needsOwnKey)) return deployments;
  const usable = deployments.filter(({ needsOwnKey }) => !needsOwnKey);
  return usable.length === 0 ? deployments : usable;
}

/** Encodes a name for headers, which allow only printable ASCII. Percent-encodes all other characters. */
function toHeaderValue(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : encodeURI(name.toWellFormed());
}

function unknownModel(asked: string): Failure {
  return new Failure("model_not_found", `The model '${asked}' does not exist or you do not have access to it.`, {
    param: "model",
    detail: { unknownModel: asked },
  });
}

/** Maximum number of names per wildcard deployment. Clients can send any name that matches its pattern. */
const MAX_NAMED = 200;

/**
 * Returns a wildcard deployment for one model name, which is built once. Its prices and versions, and what its provider
 * serves, are cached by deployment, and a caller's record is read again every few seconds.
 */
function namedOnce(
  deployment: Deployment,
  captures: readonly string[],
  asked: string,
  policy: ModelPolicy,
): Deployment {
  if (policy.named === undefined) return concrete(deployment, captures, asked, policy);
  const known = policy.named.get(deployment) ?? new Map<string, Deployment>();
  policy.named.set(deployment, known);
  const key = JSON.stringify([asked, ...captures]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = concrete(deployment, captures, asked, policy);
  if (known.size >= MAX_NAMED) known.clear();
  known.set(key, made);
  return made;
}

/** Returns a wildcard deployment for one model name. The deployment ID stays the same. */
function concrete(deployment: Deployment, captures: readonly string[], asked: string, policy: ModelPolicy): Deployment {
  const upstreamModel = fillPattern(deployment.upstreamModel, captures, asked);
  const { selling } = deployment;
  const sold = soldFactsUnderPattern(deployment, captures, asked, policy.catalog);
  const { base, facts, providerPrices } = sold;
  const provider = deployment.provider.forModel?.(upstreamModel) ?? deployment.provider;
  const named = { ...deployment, provider, upstreamModel };
  const { shownParams, ownKey } = deployment;
  const priced = `${provider.name}/${upstreamModel}`;
  const offers = offeredOperations(provider, upstreamModel, facts, deployment.additionalDropParams, deployment);
  const chat = offers["chat.completions"];
  return {
    ...named,
    prepared: provider.prepare(named),
    offers,
    ...(chat !== undefined && { chatParams: chat.supportedParams }),
    ownKey: ownKey === null ? null : { ...ownKey, ...versionOfOwnKey(priced, ownKey.price) },
    price: facts.price,
    ...versionOfDeployment(priced, sold),
    providerPrices,
    ...(selling && { selling: { ...selling, base } }),
    priceSum: priceSumOf(facts.price),
    maxInputTokens: facts.maxInputTokens,
    supportsResponseSchema: facts.supports_response_schema,
    isNamedByClient: true,
    facts,
    onDisconnect: shownParams.on_disconnect === undefined ? defaultDisconnectPolicy(facts) : deployment.onDisconnect,
  };
}
