import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { priceOfModel } from "@tollgate/catalog/price-of-model.ts";
import { matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { Deployment } from "../call/deployment.ts";
import { priceSumOf } from "../models/build-model-list.ts";

/** Returns the upstream name of the cheapest chat model that matches a pattern; null if no such model is known. */
export function cheapestOfPattern({ upstreamModel, provider }: Deployment, catalog: Catalog): string | null {
  const known = catalog
    .modelsOfProvider(provider.name)
    .filter(({ model, mode }) => mode === "chat" && matchPattern(upstreamModel, model) !== null)
    .flatMap((model) => {
      const sum = priceSumOf(priceOfModel(model));
      return sum === null ? [] : [{ name: model.model, sum }];
    });
  if (known.length === 0) return null;
  return known.reduce((least, other) => (other.sum < least.sum ? other : least)).name;
}
