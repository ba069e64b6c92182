import { Failure } from "@tollgate/contracts/failures.ts";
import { findNearestNames } from "@tollgate/domain/nearest-names.ts";
import type { Caller } from "../call/caller.ts";
import { listVisibleModels } from "./list-visible-models.ts";
import type { ModelLookup } from "./model-lookup.ts";
import { callableBy } from "./model-view.ts";

/** What callers with the same permissions share: the names that they can call, and the names that they were suggested. */
interface Suggestions {
  readonly names: readonly string[];
  readonly nearest: Map<string, readonly string[]>;
}

/** Maximum number of different permissions, and of unknown names for each, whose results are remembered. */
const MAX_REMEMBERED = 100;

const remembered = new WeakMap<ModelLookup, Map<string, Suggestions>>();

/**
 * Adds the nearest names that the caller can call to the failure for an unknown model. Returns other errors unchanged.
 * Results are remembered, because a client usually repeats the same wrong name.
 */
export function suggestModels(error: unknown, models: ModelLookup, caller: Caller): unknown {
  const asked = error instanceof Failure ? error.facts.detail?.unknownModel : undefined;
  if (!(error instanceof Failure) || typeof asked !== "string") return error;
  const { names, nearest } = suggestionsFor(models, caller);
  let nearestModels = nearest.get(asked);
  if (nearestModels === undefined) {
    nearestModels = findNearestNames(asked, names);
    if (nearest.size >= MAX_REMEMBERED) nearest.clear();
    nearest.set(asked, nearestModels);
  }
  const fix = `${didYouMean(nearestModels)}To list the models that you can use, call GET /v1/models.`;
  return new Failure(error.code, error.message, { ...error.facts, nearestModels, fix });
}

function suggestionsFor(models: ModelLookup, caller: Caller): Suggestions {
  const byPermissions = remembered.get(models) ?? new Map<string, Suggestions>();
  remembered.set(models, byPermissions);
  const { keyAliases, teamAliases, teamId, models: lists } = caller;
  const permissions = JSON.stringify([keyAliases, teamAliases, teamId, lists]);
  const known = byPermissions.get(permissions);
  if (known !== undefined) return known;
  const listed = listVisibleModels(callableBy(models, caller), models.policy.catalog);
  const names = listed.filter(({ kind }) => kind !== "pattern" && kind !== "hidden_alias").map(({ id }) => id);
  const made = { names, nearest: new Map<string, readonly string[]>() };
  if (byPermissions.size >= MAX_REMEMBERED) byPermissions.clear();
  byPermissions.set(permissions, made);
  return made;
}

function didYouMean(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop();
  if (last === undefined) return "";
  return `Did you mean ${quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`}? `;
}
