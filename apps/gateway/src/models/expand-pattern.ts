import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { fillPattern, matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { Deployment } from "../call/deployment.ts";

/** Returns the names that match a pattern, based on the catalog models of its provider. */
export function expandPattern(deployment: Deployment, catalog: Catalog): readonly string[] {
  const { groupName, upstreamModel, provider } = deployment;
  const known = catalog.modelsOfProvider(provider.name);
  // If the group name and the upstream model have different numbers of stars, the group name can't be derived from the
  // upstream model, so the provider's own names are used.
  if (countStars(groupName) !== countStars(upstreamModel)) {
    return known.map(({ id }) => id).filter((id) => matchPattern(groupName, id) !== null);
  }
  return known.flatMap(({ model }) => {
    const captures = matchPattern(upstreamModel, model);
    return captures === null ? [] : [fillPattern(groupName, captures, model)];
  });
}

function countStars(pattern: string): number {
  return pattern.split("*").length - 1;
}
