import { adjustPrice } from "./adjust-price.ts";
import { fixPrice } from "./fix-price.ts";
import { isFixed, isStandard, type PriceTerms } from "./price-terms.ts";
import { type PriceVersion, priceVersionId } from "./price-version.ts";

/** Returns the terms of a price list for a model group. */
function termsFor(list: ReadonlyMap<string, PriceTerms>, modelGroup: string): PriceTerms | null {
  return list.get(modelGroup) ?? list.get("*") ?? null;
}

/**
 * Reports whether calls at a price may have been charged at a fixed price. A fixed price that equals the standard price
 * has the same version. The model group doesn't matter, because a call by a deployment's ID has the terms of its group,
 * which usage doesn't name.
 */
export function mayBeFixed(version: PriceVersion, list: ReadonlyMap<string, PriceTerms>): boolean {
  const { model, price, condition = null } = version;
  const plainId = priceVersionId(model, price, condition);
  return [...list.values()].filter(isFixed).some((terms) => {
    // Under a condition, only some rates of the fixed price apply.
    if (condition !== null) return true;
    return priceVersionId(model, fixPrice(price, terms)) === plainId;
  });
}

/** Reports whether calls of a model group may have been charged at terms of their own, at a price that equals the standard price. */
export function mayHaveTerms(
  version: PriceVersion,
  list: ReadonlyMap<string, PriceTerms>,
  modelGroup: string,
): boolean {
  const terms = termsFor(list, modelGroup);
  // A percentage can offset the margin.
  if (terms !== null && !isFixed(terms) && !isStandard(terms)) return true;
  return mayBeFixed(version, list);
}

/**
 * Reports whether a price is the provider's with the percentage and the amount per request that a list has for the model
 * group. A margin of the settings isn't recorded, so a price with both doesn't follow from the list.
 */
export function followsFromList(
  { id, model, condition = null, cost }: PriceVersion,
  list: ReadonlyMap<string, PriceTerms>,
  modelGroup: string,
): boolean {
  const terms = termsFor(list, modelGroup);
  if (cost === undefined || terms === null || isFixed(terms) || condition !== (cost.condition ?? null)) return false;
  return priceVersionId(model, adjustPrice(cost.price, terms), condition, cost.id) === id;
}
