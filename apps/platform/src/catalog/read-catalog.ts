import type { ModelQuery, PublicModel } from "@tollgate/contracts/management/model.ts";
import { listCatalogModels } from "@tollgate/db/catalog/models.ts";
import type { Services } from "../services.ts";
import { describeCatalogModel, describeListedModel } from "./describe-model.ts";

/**
 * Returns all public models: models from the settings files, and stored models whose names aren't defined in those
 * files.
 */
export async function readCatalog({ db, models }: Services): Promise<readonly PublicModel[]> {
  const stored = await listCatalogModels(db);
  return [
    ...stored.filter(({ id }) => !models.has(id)).map(describeCatalogModel),
    ...models.list().map(describeListedModel),
  ];
}

/** Returns the models that match a query, in its sort order. */
export function selectModels(models: readonly PublicModel[], query: ModelQuery): readonly PublicModel[] {
  const wanted = query.search?.toLowerCase() ?? "";
  return models
    .filter(
      ({ id, name, provider, description, type, status }) =>
        query.status.includes(status) &&
        (query.type === undefined || query.type.includes(type)) &&
        (query.provider === undefined || query.provider.includes(provider)) &&
        [id, name, provider, description].some((text) => text.toLowerCase().includes(wanted)),
    )
    .toSorted(orderOf(query.sort));
}

type Order = (one: PublicModel, other: PublicModel) => number;

function orderOf(sort: ModelQuery["sort"]): Order {
  const direction = sort.startsWith("-") ? -1 : 1;
  const compare = orders[sort.replace("-", "") as keyof typeof orders];
  return (one, other) => compare(one, other, direction) || byText(one.id, other.id);
}

const orders = {
  name: (one, other, direction) => direction * byText(one.name.toLowerCase(), other.name.toLowerCase()),
  // Models from the settings files have no creation time and count as the oldest.
  createdAt: (one, other, direction) =>
    direction * ((one.createdAt?.getTime() ?? 0) - (other.createdAt?.getTime() ?? 0)),
  inputPrice: (one, other, direction) => {
    const prices = [one.pricing.inputPerMillionTokens, other.pricing.inputPerMillionTokens] as const;
    // Models without a price come last in either sort direction.
    if (prices[0] === null || prices[1] === null) return Number(prices[0] === null) - Number(prices[1] === null);
    return direction * Number(prices[0] < prices[1] ? -1 : prices[0] > prices[1]);
  },
} as const satisfies Record<string, (one: PublicModel, other: PublicModel, direction: number) => number>;

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
