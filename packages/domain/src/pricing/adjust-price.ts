import { billingUnits, type OptionalPrices } from "./billing-units.ts";
import type { Price, PriceTier } from "./price-call.ts";
import type { RateCard } from "./rate-card.ts";
import { tokenPrice } from "./token-price.ts";

/** A change of all rates by a share, and an amount for each request. */
export interface PriceAdjustment {
  /** Share of each rate, in millionths: 50000 adds 5 %, and -50000 takes off 5 %. At least -1000000. */
  readonly shareMillionths: bigint;
  /** Added to the fee for each request. */
  readonly fixedNanoUsd: bigint;
}

const MILLIONTHS = 1_000_000n;
const PICO_PER_NANO = 1_000n;

/** Reports whether an adjustment leaves every price as it is. */
export function isNoAdjustment({ shareMillionths, fixedNanoUsd }: PriceAdjustment): boolean {
  return shareMillionths === 0n && fixedNanoUsd === 0n;
}

/**
 * Returns the price with the adjustment. Rates are rounded up to a pico-USD, so a markup is never lost to rounding.
 * Units without a rate stay without one.
 */
export function adjustPrice(price: Price, adjustment: PriceAdjustment): Price {
  const rates = adjustRates(price, adjustment);
  const fee = (rates.perRequest ?? 0n) + adjustment.fixedNanoUsd * PICO_PER_NANO;
  return tokenPrice(rates.input as bigint, rates.output as bigint, {
    ...rates,
    perRequest: fee > 0n ? fee : (rates.perRequest ?? null),
    tier: price.tier === null ? null : adjustTier(price.tier, adjustment),
  });
}

/** Returns the card with the adjustment in the base price and in every rule. */
export function adjustCard({ base, rules }: RateCard, adjustment: PriceAdjustment): RateCard {
  return {
    base: adjustPrice(base, adjustment),
    rules: rules.map(({ when, prices, tier }) => {
      const adjusted = adjustRates(prices, adjustment);
      const { perRequest } = adjusted;
      return {
        when,
        prices:
          perRequest == null
            ? adjusted
            : { ...adjusted, perRequest: perRequest + adjustment.fixedNanoUsd * PICO_PER_NANO },
        ...(tier !== undefined && { tier: tier === null ? null : adjustTier(tier, adjustment) }),
      };
    }),
  };
}

/** Describes an adjustment, such as `+5 %` or `-10 %, +$0.001 per request`; null if it changes nothing. */
export function describeAdjustment({ shareMillionths, fixedNanoUsd }: PriceAdjustment): string | null {
  const sign = (amount: bigint) => (amount < 0n ? "-" : "+");
  const size = (amount: bigint) => (amount < 0n ? -amount : amount);
  const parts = [
    ...(shareMillionths === 0n ? [] : [`${sign(shareMillionths)}${decimal(size(shareMillionths), 4)} %`]),
    ...(fixedNanoUsd === 0n ? [] : [`${sign(fixedNanoUsd)}$${decimal(size(fixedNanoUsd), 9)} per request`]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}

function adjustRates<Rates extends Partial<OptionalPrices>>(rates: Rates, { shareMillionths }: PriceAdjustment): Rates {
  const adjusted = billingUnits
    .map(({ price }) => [price, rates[price]] as const)
    .filter(([, rate]) => rate !== undefined)
    .map(([name, rate]) => [name, rate === null ? null : scale(rate as bigint, shareMillionths)]);
  return Object.fromEntries(adjusted) as Rates;
}

function adjustTier(tier: PriceTier, { shareMillionths }: PriceAdjustment): PriceTier {
  const adjust = (rate: bigint | null) => (rate === null ? null : scale(rate, shareMillionths));
  return {
    aboveInputTokens: tier.aboveInputTokens,
    input: adjust(tier.input),
    output: adjust(tier.output),
    cacheRead: adjust(tier.cacheRead),
    cacheWrite: adjust(tier.cacheWrite),
    ...(tier.longCacheWrite !== undefined && { longCacheWrite: adjust(tier.longCacheWrite) }),
  };
}

function scale(rate: bigint, shareMillionths: bigint): bigint {
  return (rate * (MILLIONTHS + shareMillionths) + MILLIONTHS - 1n) / MILLIONTHS;
}

function decimal(amount: bigint, places: number): string {
  const digits = amount.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${digits.slice(0, -places)}${fraction === "" ? "" : `.${fraction}`}`;
}
