import { type NanoUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import { countedUnits } from "@tollgate/domain/pricing/billing-units.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";

/** Factor from pico-USD per token to nano-USD per million tokens. */
export const NANO_PER_MILLION_PER_PICO = 1_000n;

/** Returns token prices in nano-USD per million tokens; null if the model isn't billed per token. */
export function describeTokenPrices(price: Price | null): {
  readonly inputPerMillionTokens: NanoUsd | null;
  readonly outputPerMillionTokens: NanoUsd | null;
  readonly cachedInputPerMillionTokens: NanoUsd | null;
} {
  const tokens = tokenPartOf(price);
  return {
    inputPerMillionTokens: perMillion(tokens?.input ?? null),
    outputPerMillionTokens: perMillion(tokens?.output ?? null),
    cachedInputPerMillionTokens: perMillion(tokens?.cacheRead ?? null),
  };
}

/** Returns prices for units other than tokens, in nano-USD, rounded up so that no call costs more than displayed. */
export function describeUnitPrices({ perImage, perSecond, perCharacter }: Price): {
  readonly perImage: NanoUsd | null;
  readonly perAudioSecond: NanoUsd | null;
  readonly perMillionCharacters: NanoUsd | null;
} {
  return {
    perImage: toNano(perImage),
    perAudioSecond: toNano(perSecond),
    perMillionCharacters: perMillion(perCharacter),
  };
}

/** Returns the minimum price per call in nano-USD, rounded up: the fee per request, or the price of one search. */
export function describeRequestPrice(price: Price | null): NanoUsd {
  return toNano(price?.perRequest ?? price?.perSearch ?? null) ?? 0n;
}

/** Returns the token components of a price; null if the price has only other units. */
export function tokenPartOf(price: Price | null): Price | null {
  if (price === null) return null;
  const isByUnit = countedUnits.some((unit) => unit.canBeOnlyPrice && price[unit.price] !== null);
  if (isByUnit && price.input === 0n && price.output === 0n) return null;
  return { ...price, ...Object.fromEntries(countedUnits.map((unit) => [unit.price, null])) };
}

function perMillion(pico: bigint | null): NanoUsd | null {
  return pico === null ? null : pico * NANO_PER_MILLION_PER_PICO;
}

function toNano(pico: bigint | null): NanoUsd | null {
  return pico === null ? null : (pico + PICO_PER_NANO - 1n) / PICO_PER_NANO;
}
