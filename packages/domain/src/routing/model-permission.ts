import { NO_MODELS } from "../figures/key-state.ts";
import { matchPattern } from "./match-pattern.ts";

/** Model lists that restrict a caller. An empty list permits all models. */
export interface ModelLists {
  readonly key: readonly string[];
  readonly team: readonly string[];
  readonly user: readonly string[];
  readonly organization: readonly string[];
}

export type ListOwner = keyof ModelLists;

/** All names of a model, and the access groups of its deployments. */
interface NamedModel {
  readonly names: readonly string[];
  readonly accessGroups: readonly string[];
}

/**
 * Returns the owner of the first list that refuses the model, or null if the caller may use the model. Every nonempty
 * list must permit the model. A key's alias doesn't count for its team and user, and a team's alias doesn't count for
 * its organization, because their lists contain the model's other names.
 */
export function findRefusingList(
  lists: ModelLists,
  model: NamedModel,
  inTeam: NamedModel = model,
  inOrganization: NamedModel = inTeam,
): ListOwner | null {
  if (!permits(lists.key, model, lists.team)) return "key";
  if (!permits(lists.team, inTeam, [])) return "team";
  if (!permits(lists.user, inTeam, lists.team)) return "user";
  if (!permits(lists.organization, inOrganization, [])) return "organization";
  return null;
}

function permits(list: readonly string[], model: NamedModel, teamList: readonly string[]): boolean {
  if (list.length === 0) return true;
  return list.some((entry) => {
    if (entry === "all-proxy-models") return true;
    if (entry === NO_MODELS) return false;
    if (entry === "all-team-models") return permits(teamList, model, []);
    if (model.accessGroups.includes(entry)) return true;
    return model.names.some((name) => name === entry || (entry.includes("*") && matchPattern(entry, name) !== null));
  });
}
