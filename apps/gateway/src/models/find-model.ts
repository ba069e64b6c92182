import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import { createRouteGroup } from "@tollgate/domain/routing/create-route-group.ts";
import { fillPattern } from "@tollgate/domain/routing/match-pattern.ts";
import { findRefusingList, type ListOwner } from "@tollgate/domain/routing/model-permission.ts";
import { resolveModel } from "@tollgate/domain/routing/resolve-model.ts";
import type { Caller } from "../call/caller.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Deployment } from "../call/deployment.ts";
import { defaultDisconnectPolicy, type ModelList, priceSumOf, versionOf } from "./build-model-list.ts";
import { factsUnderPattern } from "./facts-under-pattern.ts";
import { offeredOperations } from "./offered-operations.ts";

export interface ModelPolicy {
  readonly allowModelIdCalls: boolean;
  readonly hideInaccessibleModels: boolean;
  readonly inferProvider: (bareName: string) => string | null;
  /** Provides metadata for models that match only a pattern. */
  readonly catalog: Catalog;
}

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
 */
export function findModel(list: ModelList, caller: NamedCaller, asked: string, policy: ModelPolicy): ChosenModel {
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
      : group.members.map((deployment) => concrete(deployment, captures, asked, policy));
  const shownJson = Buffer.from(JSON.stringify(asked), "utf8").toString("latin1");
  const route = createRouteGroup(name, deployments, list.rulesOf(name, group.name), list.states.budget(group.name));
  return { ...route, shownName: asked, shownJson, shownHeader: toHeaderValue(asked) };
}

/** Encodes a name for headers, which allow only printable ASCII. Percent-encodes all other characters. */
function toHeaderValue(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : encodeURI(name.toWellFormed());
}

function unknownModel(asked: string): Failure {
  return new Failure("model_not_found", `The model '${asked}' does not exist or you do not have access to it.`, {
    param: "model",
  });
}

/** Returns a wildcard deployment for one model name. The deployment ID stays the same. */
function concrete(deployment: Deployment, captures: readonly string[], asked: string, policy: ModelPolicy): Deployment {
  const upstreamModel = fillPattern(deployment.upstreamModel, captures, asked);
  const facts = factsUnderPattern(deployment, captures, asked, policy.catalog);
  const provider = deployment.provider.forModel?.(upstreamModel) ?? deployment.provider;
  const named = { ...deployment, provider, upstreamModel };
  const { shownParams } = deployment;
  return {
    ...named,
    prepared: provider.prepare(named),
    offers: offeredOperations(provider, upstreamModel, facts.mode, deployment.additionalDropParams, deployment),
    price: facts.price,
    priceVersionId: versionOf(`${provider.name}/${upstreamModel}`, facts.price),
    priceSum: priceSumOf(facts.price),
    maxInputTokens: facts.maxInputTokens,
    supportsResponseSchema: facts.supports_response_schema,
    isNamedByClient: true,
    facts,
    onDisconnect: shownParams.on_disconnect === undefined ? defaultDisconnectPolicy(facts) : deployment.onDisconnect,
  };
}
