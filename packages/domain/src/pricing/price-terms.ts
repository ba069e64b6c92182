import { adjustCard, adjustPrice, describeAdjustment, isNoAdjustment, type PriceAdjustment } from "./adjust-price.ts";
import { type FixedPrice, fixCard, fixPrice } from "./fix-price.ts";
import type { Price } from "./price-call.ts";
import type { RateCard } from "./rate-card.ts";

/** An organization's price for a model: the standard price with an adjustment, or a fixed price. */
export type PriceTerms = PriceAdjustment | FixedPrice;

export function isFixed(terms: PriceTerms): terms is FixedPrice {
  return "prices" in terms;
}

/** Reports whether the standard price applies. */
export function isStandard(terms: PriceTerms): boolean {
  return !isFixed(terms) && isNoAdjustment(terms);
}

/** All prices of a model. */
export interface PriceSet {
  readonly price: Price | null;
  /** The price and its conditions; null if the price has no conditions, like most prices. */
  readonly rateCard: RateCard | null;
  /** Prices by quality and size, such as `high/1024x1024`, for models that bill images this way. */
  readonly imagePrices: ReadonlyMap<string, Price>;
}

/** Returns standard prices under these terms. A model without a price stays without one. */
export function sellAtTerms({ price, rateCard, imagePrices }: PriceSet, terms: PriceTerms): PriceSet {
  const sell = (one: Price) => (isFixed(terms) ? fixPrice(one, terms) : adjustPrice(one, terms));
  return {
    price: price === null ? null : sell(price),
    rateCard: price === null ? null : sellCard(price, rateCard, terms),
    imagePrices: new Map([...imagePrices].map(([size, own]) => [size, sell(own)])),
  };
}

function sellCard(price: Price, rateCard: RateCard | null, terms: PriceTerms): RateCard | null {
  if (!isFixed(terms)) return rateCard === null ? null : adjustCard(rateCard, terms);
  if (rateCard === null && terms.rules.length === 0) return null;
  return fixCard(rateCard ?? { base: price, rules: [] }, terms);
}

/** Describes terms, such as `+5 %` or `fixed price`; null if the standard price applies. */
export function describeTerms(terms: PriceTerms): string | null {
  return isFixed(terms) ? "fixed price" : describeAdjustment(terms);
}

/** Returns a text that equal terms share. */
export function keyOfTerms(terms: PriceTerms): string {
  if (!isFixed(terms)) return `${terms.shareMillionths} ${terms.fixedNanoUsd}`;
  return JSON.stringify(terms, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
}
