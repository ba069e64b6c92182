import type { ModelLists } from "@tollgate/domain/routing/model-permission.ts";
import type { NameScope } from "@tollgate/domain/routing/resolve-model.ts";
import { type Caller, isAdministrator } from "../call/caller.ts";
import type { Deployment } from "../call/deployment.ts";
import type { ModelLookup } from "./model-lookup.ts";

/** A view of the model list for one caller. */
export interface ModelView {
  readonly models: ModelLookup;
  readonly lists: ModelLists;
  readonly scope: NameScope;
  /** True if the view includes the deployments of all teams, not only of the team in `scope`. */
  readonly seesEveryTeam: boolean;
}

const noLists: ModelLists = { key: [], team: [], user: [], organization: [] };

/**
 * Returns the view for the model information API. The view includes all models that the caller can call and, for
 * administrators, the models of all teams.
 */
export function visibleTo(models: ModelLookup, caller: Caller): ModelView {
  return { ...callableBy(models, caller), seesEveryTeam: isAdministrator(caller) };
}

/**
 * Returns the view of exactly the models that the caller can call. A team's own models are visible only to that team.
 */
export function callableBy(models: ModelLookup, caller: Caller): ModelView {
  const { keyAliases, teamAliases, teamId } = caller;
  const { allowModelIdCalls } = models.policy;
  return {
    models,
    lists: caller.models,
    scope: { keyAliases, teamAliases, teamId, allowModelIdCalls },
    seesEveryTeam: false,
  };
}

/** Returns the view of the models that a team can call, regardless of the restrictions of the caller's key. */
export function viewOfTeam(
  models: ModelLookup,
  caller: Caller,
  team: { readonly id: string; readonly models: readonly string[] },
): ModelView {
  const isOwn = caller.teamId === team.id;
  return {
    models,
    lists: { ...caller.models, key: [], team: team.models },
    scope: {
      keyAliases: {},
      teamAliases: isOwn ? caller.teamAliases : {},
      teamId: team.id,
      allowModelIdCalls: models.policy.allowModelIdCalls,
    },
    seesEveryTeam: false,
  };
}

/**
 * Returns the view of all models on the gateway, except the own models of other teams, whose organizations only an
 * administrator of the instance may know. This view is only for listings and doesn't affect which models can be called.
 */
export function viewOfEverything(models: ModelLookup, caller: Caller): ModelView {
  return { ...callableBy(models, caller), lists: noLists, seesEveryTeam: isAdministrator(caller) };
}

/** Reports whether a deployment exists in this view, regardless of permissions. */
export function isInView(view: ModelView, deployment: Deployment): boolean {
  return deployment.teamId === null || view.seesEveryTeam || deployment.teamId === view.scope.teamId;
}

/** Returns the public name of a deployment's group. */
export function displayNameOf(deployment: Deployment): string {
  return (deployment.teamId === null ? null : deployment.teamPublicModelName) ?? deployment.groupName;
}
