import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { findRefusingList } from "@tollgate/domain/routing/model-permission.ts";
import { expandPattern } from "./expand-pattern.ts";
import { findVisibleModel, type VisibleModel } from "./find-visible-model.ts";
import { displayNameOf, isInView, type ModelView } from "./model-view.ts";

/** A visible model and the origin of its name. An expansion is a model name that matches a wildcard pattern. */
export interface ListedModel extends VisibleModel {
  readonly kind: "group" | "pattern" | "alias" | "hidden_alias" | "expansion";
}

/**
 * Lists every name in a view. Looks up each name by the same rules that apply to calls, so that every listed name can
 * be called. Model groups come first, in configuration order, followed by aliases and then by expansions, sorted by
 * name.
 */
export function listVisibleModels(view: ModelView, catalog: Catalog): readonly ListedModel[] {
  const configured = configuredNames(view);
  const { shown, hidden } = aliasNames(view);
  const expansions = [...namesInLists(view), ...expandedNames(view, catalog)].sort();
  const candidates: readonly (readonly [ListedModel["kind"], readonly string[]])[] = [
    ["group", configured],
    ["alias", shown],
    ["hidden_alias", hidden],
    ["expansion", expansions],
  ];
  const seen = new Set<string>();
  const listed: ListedModel[] = [];
  for (const [kind, names] of candidates) {
    for (const name of names) {
      if (seen.has(name)) continue;
      seen.add(name);
      const model = findVisibleModel(view, name);
      if (model !== null) listed.push({ ...model, kind: name.includes("*") ? "pattern" : kind });
    }
  }
  return listed;
}

/** Lists the access groups that the view's permission lists allow, or all access groups if the view is unrestricted. */
export function listAccessGroups(view: ModelView): readonly string[] {
  return [...accessGroupsInView(view)].filter(
    (name) => findRefusingList(view.lists, { names: [], accessGroups: [name] }) === null,
  );
}

function configuredNames(view: ModelView): readonly string[] {
  return view.models.list.deployments.filter((deployment) => isInView(view, deployment)).map(displayNameOf);
}

function aliasNames(view: ModelView): { shown: readonly string[]; hidden: readonly string[] } {
  const { groups, hiddenAliases } = view.models.list;
  const shared = [...groups.aliases.keys()];
  return {
    shown: [
      ...Object.keys(view.scope.keyAliases),
      ...Object.keys(view.scope.teamAliases),
      ...shared.filter((name) => !hiddenAliases.has(name)),
    ],
    hidden: shared.filter((name) => hiddenAliases.has(name)),
  };
}

/**
 * Returns the models that a list names explicitly. They may be too new for the catalog, but a pattern can still serve
 * them.
 */
function namesInLists(view: ModelView): readonly string[] {
  const accessGroups = accessGroupsInView(view);
  const { key, team, user, organization } = view.lists;
  return [...key, ...team, ...user, ...organization].filter(
    (entry) => entry.includes("/") && !entry.includes("*") && !accessGroups.has(entry),
  );
}

function expandedNames(view: ModelView, catalog: Catalog): readonly string[] {
  return view.models.list.deployments
    .filter((deployment) => deployment.groupName.includes("*") && isInView(view, deployment))
    .flatMap((deployment) => expandPattern(deployment, catalog));
}

function accessGroupsInView(view: ModelView): ReadonlySet<string> {
  const inView = view.models.list.deployments.filter((deployment) => isInView(view, deployment));
  return new Set(inView.flatMap((deployment) => deployment.accessGroups));
}
