import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { fillPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { Deployment } from "../call/deployment.ts";

/** What decides whether a name exists that only a pattern matches. */
interface NamePolicy {
  readonly catalog: Catalog;
  /** True if a model without a price cannot be called. */
  readonly requiresPrices?: boolean;
}

/**
 * Reports whether a model exists that only a pattern matches: the catalog or the provider's own list has it, or the
 * provider may have it and it can be called. If prices are required, an unknown name has none, unless the deployment
 * sets one for all names.
 */
export function isKnownName(
  members: readonly Deployment[],
  captures: readonly string[],
  asked: string,
  { catalog, requiresPrices = false }: NamePolicy,
): boolean {
  return members.some(({ provider, model, upstreamModel, price }) => {
    if (catalog.find(namesOf(fillPattern(model, captures, asked))) !== undefined) return true;
    if (provider.hasModel !== undefined) return provider.hasModel(fillPattern(upstreamModel, captures, asked));
    return !requiresPrices || price !== null;
  });
}

function namesOf(name: string): readonly string[] {
  const slash = name.indexOf("/");
  return slash < 0 ? [name] : [name, name.slice(slash + 1)];
}
