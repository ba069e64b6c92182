import type { PriceAdjustment } from "@tollgate/domain/pricing/adjust-price.ts";
import type { FixedPrice } from "@tollgate/domain/pricing/fix-price.ts";
import { isFixed, type PriceTerms } from "@tollgate/domain/pricing/price-terms.ts";
import { writeFixedPrice } from "@tollgate/domain/pricing/stored-price-rules.ts";
import type { ListedModel } from "../catalog/model-source.ts";

const MILLIONTHS = 1_000_000n;
/** Prices per million units are a multiple of this many nano-USD, because rates are whole pico-USD. */
const NANO_PER_MILLION = 1_000n;

type Prices = NonNullable<ListedModel["price"]>;

/** Returns displayed prices as an organization pays them, rounded as the rates that are charged. */
export function adjustListedPrices(price: ListedModel["price"], terms: PriceTerms): ListedModel["price"] {
  if (price === null) return null;
  return isFixed(terms) ? fixPrices(price, terms) : adjustPrices(price, terms);
}

function fixPrices(price: Prices, fixed: FixedPrice): Prices {
  const written = writeFixedPrice(fixed);
  // Models that are priced per search show this price as the one per request.
  const stored: Readonly<Record<string, unknown>> = { ...written, perRequest: written.perRequest ?? written.perSearch };
  const listed = Object.entries(price).map(([name, amount]) => {
    const own = stored[name];
    if (typeof own === "number") return [name, BigInt(own)];
    // Cached input has the fixed input rate.
    const isReplaced = name === "cachedInputPerMillionTokens" && stored.inputPerMillionTokens !== undefined;
    return [name, isReplaced ? null : amount];
  });
  return Object.fromEntries(listed) as Prices;
}

function adjustPrices(price: Prices, { shareMillionths, fixedNanoUsd }: PriceAdjustment): Prices {
  const scale = (amount: bigint): bigint => (amount * (MILLIONTHS + shareMillionths) + MILLIONTHS - 1n) / MILLIONTHS;
  const adjusted = Object.entries(price).map(([name, amount]) => {
    if (amount === null) return [name, null];
    if (name === "perRequest") return [name, scale(amount) + fixedNanoUsd];
    return [name, name.includes("Million") ? scale(amount / NANO_PER_MILLION) * NANO_PER_MILLION : scale(amount)];
  });
  return Object.fromEntries(adjusted) as Prices;
}
