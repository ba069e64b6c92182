import { smaller } from "@tollgate/domain/credit/amounts.ts";
import { adjustPrice, isNoAdjustment, type PriceAdjustment } from "@tollgate/domain/pricing/adjust-price.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import {
  isFixed,
  isStandard,
  keyOfTerms,
  type PriceSet,
  type PriceTerms,
  sellAtTerms,
} from "@tollgate/domain/pricing/price-terms.ts";
import { type PriceVersion, soldVersion } from "@tollgate/domain/pricing/price-version.ts";
import { type RateCard, unconditional } from "@tollgate/domain/pricing/rate-card.ts";
import type { GatewaySettings } from "@tollgate/runtime/settings/settings.ts";
import type { ChosenModel } from "../call/chosen-model.ts";
import type { Deployment, ModelFacts, Selling } from "../call/deployment.ts";
import type { PriceList } from "../call/price-list.ts";

/** A whole price in millionths. No discount is larger. */
const WHOLE = 1_000_000n;

/** The prices that calls are charged at, and the provider's prices if they differ. */
export interface SoldFacts {
  readonly facts: ModelFacts;
  /** Null if calls are sold at the provider's prices. */
  readonly providerPrices: PriceSet | null;
}

/** Returns the prices of a deployment after its margin. `listed` are the catalog's prices of its model. */
export function sellFacts({ base, ownsPrices, pricesAreCosts, adjustments }: Selling, listed: PriceSet): SoldFacts {
  // The operator's own prices are what customers pay. What the provider charges is in the catalog, if it has the model.
  const isBoughtAsListed = ownsPrices && !pricesAreCosts && listed.price !== null;
  const facts = adjustments.length === 0 ? base : { ...base, ...adjustments.reduce(sellAtTerms, base as PriceSet) };
  if (!isBoughtAsListed && adjustments.length === 0) return { facts, providerPrices: null };
  const { price, rateCard, imagePrices } = isBoughtAsListed ? listed : base;
  const providerPrices = { price, rateCard, imagePrices };
  return { facts: { ...facts, rateCard: cardFor(facts, providerPrices) }, providerPrices };
}

/**
 * Returns the card of a sold price. A flat price has a card without rules if the provider's price depends on what it
 * serves, so that the provider's cost of each call is known.
 */
function cardFor({ price, rateCard }: Pick<PriceSet, "price" | "rateCard">, bought: PriceSet): RateCard | null {
  return rateCard ?? (price === null || bought.rateCard === null ? null : { base: price, rules: [] });
}

/** Returns the margin and discount that the settings define for a provider, in the order in which they apply. */
export function adjustmentsOf(
  { costMargin, costDiscount }: Pick<GatewaySettings, "costMargin" | "costDiscount">,
  provider: string,
): readonly PriceAdjustment[] {
  const discount = costDiscount[provider] ?? costDiscount.global;
  const margin = costMargin[provider] ?? costMargin.global;
  return [
    ...(discount === undefined
      ? []
      : [{ shareMillionths: -smaller(discount.shareMillionths, WHOLE), fixedNanoUsd: 0n }]),
    ...(margin === undefined ? [] : [margin]),
  ].filter((adjustment) => !isNoAdjustment(adjustment));
}

/** Returns the price version of a deployment's calls without a condition; null for both if it has no price. */
export function versionOfDeployment(
  model: string,
  { facts, providerPrices }: SoldFacts,
): { readonly priceVersionId: string | null; readonly cost: PriceVersion | null } {
  if (facts.price === null) return { priceVersionId: null, cost: null };
  const bought = providerPrices?.price ?? null;
  return soldVersion(model, unconditional(facts.price), bought === null ? null : unconditional(bought));
}

/**
 * Returns the model at the prices of an organization's list. The model itself is returned if the list doesn't name it. A
 * deployment that is called by its ID, or by a name that matches a pattern, has the price of its group.
 */
export function withPriceList(model: ChosenModel, list: PriceList): ChosenModel {
  const targets = model.targets.map((target) => {
    const terms = list.get(model.name) ?? list.get(target.groupName) ?? list.get("*");
    return terms === undefined || isStandard(terms) ? target : sellAt(target, terms);
  });
  return targets.every((target, index) => target === model.targets[index]) ? model : { ...model, targets };
}

const remembered = new WeakMap<Deployment, Map<string, Deployment>>();
/** Maximum number of prices per deployment that are remembered. Organizations with the same terms share one. */
const MAX_REMEMBERED = 1_000;

/**
 * Returns the same deployment with other prices: with the same ID, state, and connection. It is built once for the same
 * terms, because other data is cached by deployment.
 */
function sellAt(deployment: Deployment, terms: PriceTerms): Deployment {
  const { facts, provider, upstreamModel, selling, providerPrices } = deployment;
  if (facts.price === null) return deployment;
  const known = remembered.get(deployment) ?? new Map<string, Deployment>();
  remembered.set(deployment, known);
  const key = keyOfTerms(terms);
  const found = known.get(key);
  if (found !== undefined) return found;
  const { price, rateCard, imagePrices } = facts;
  const bought = providerPrices ?? { price, rateCard, imagePrices };
  const sold = sellAtTerms(facts, terms);
  const soldFacts = { ...facts, ...sold, rateCard: cardFor(sold, bought) };
  const version = versionOfDeployment(`${provider.name}/${upstreamModel}`, {
    facts: soldFacts,
    providerPrices: bought,
  });
  const made: Deployment = {
    ...deployment,
    ...version,
    price: sold.price,
    facts: soldFacts,
    providerPrices: bought,
    // Another model that responds has its own standard price, which a fixed price doesn't replace.
    ...(selling && !isFixed(terms) && { selling: { ...selling, adjustments: [...selling.adjustments, terms] } }),
  };
  if (known.size >= MAX_REMEMBERED) known.clear();
  known.set(key, made);
  return made;
}

/** Returns a price after these adjustments. */
export function adjustAll(price: Price, adjustments: readonly PriceAdjustment[]): Price {
  return adjustments.reduce(adjustPrice, price);
}
