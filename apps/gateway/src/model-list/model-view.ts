import type { ModelLists } from "@tollgate/domain/routing/model-permission.ts";
import type { NameScope } from "@tollgate/domain/routing/resolve-model.ts";
import type { Caller } from "../pipeline/caller.ts";
import type { Deployment } from "./deployment.ts";
import type { ModelLookup } from "./model-lookup.ts";

/** Through whose eyes the model list is looked at. */
export interface ModelView {
  readonly models: ModelLookup;
  readonly lists: ModelLists;
  readonly scope: NameScope;
  /** Sees what any team owns, not only the team in `scope`. */
  readonly seesEveryTeam: boolean;
}

const noLists: ModelLists = { key: [], team: [], user: [], organization: [] };

/** What information shows the caller: what it can call, and to administrators also what teams own. */
export function visibleTo(models: ModelLookup, caller: Caller): ModelView {
  return { ...callableBy(models, caller), seesEveryTeam: isAdministrator(caller) };
}

/** What the caller can call, to the letter: what a team owns exists for that team alone. */
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

/** What a team can call, whatever the caller's key is limited to. */
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

/** Every model of the gateway. It widens what is listed, never what can be called. */
export function viewOfEverything(models: ModelLookup, caller: Caller): ModelView {
  return { ...callableBy(models, caller), lists: noLists, seesEveryTeam: true };
}

/** Whether the caller administers the whole gateway. */
export function isAdministrator(caller: Caller): boolean {
  return caller.role === "proxy_admin";
}

/** Whether a deployment exists at all in this view, permissions aside. */
export function isInView(view: ModelView, deployment: Deployment): boolean {
  return deployment.teamId === null || view.seesEveryTeam || deployment.teamId === view.scope.teamId;
}

/** The name callers know a deployment's group by. */
export function displayNameOf(deployment: Deployment): string {
  return (deployment.teamId === null ? null : deployment.teamPublicModelName) ?? deployment.groupName;
}
