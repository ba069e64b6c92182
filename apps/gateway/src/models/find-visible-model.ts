import { findRefusingList } from "@tollgate/domain/routing/model-permission.ts";
import { type FoundModel, resolveModel } from "@tollgate/domain/routing/resolve-model.ts";
import type { Deployment } from "../call/deployment.ts";
import { isKnownName } from "./is-known-name.ts";
import { displayNameOf, type ModelView } from "./model-view.ts";

/** A model in a view: its requested name and its deployments. */
export interface VisibleModel {
  readonly id: string;
  /** Name of the group that serves the model, or the requested model name if it matched a wildcard pattern. */
  readonly groupName: string;
  readonly deployments: readonly Deployment[];
  /** Text matched by the pattern's stars; null for an exact group. */
  readonly captures: readonly string[] | null;
}

/**
 * Finds a model by the same rules that apply to calls. Returns null if a call would be refused or the model isn't in
 * the view.
 */
export function findVisibleModel(view: ModelView, asked: string): VisibleModel | null {
  const { list, policy } = view.models;
  const resolved =
    findOwnedByAnyTeam(view, asked) ?? resolveModel(list.groups, asked, view.scope, policy.inferProvider);
  if (resolved === null) return null;
  const { name, group, captures } = resolved;
  // A pattern itself is also listed.
  if (captures !== null && !asked.includes("*") && !isKnownName(group.members, captures, asked, policy)) return null;
  const accessGroups = group.members.flatMap((deployment) => deployment.accessGroups);
  const named = (own: string) => ({ names: [own, name, group.name], accessGroups });
  const refusing = findRefusingList(
    view.lists,
    named(asked),
    named(resolved.nameInTeam),
    named(resolved.nameInOrganization),
  );
  return refusing === null ? { id: asked, groupName: name, deployments: group.members, captures } : null;
}

/** Groups deployments with the same name, if the view includes the deployments of all teams. */
function findOwnedByAnyTeam(view: ModelView, asked: string): FoundModel<Deployment> | null {
  if (!view.seesEveryTeam) return null;
  const members = view.models.list.deployments.filter((deployment) => displayNameOf(deployment) === asked);
  if (members.length === 0) return null;
  const group = { name: asked, members };
  return { name: asked, group, captures: null, nameInTeam: asked, nameInOrganization: asked };
}
