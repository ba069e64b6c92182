import { type NanoUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";

/** Tokens of a million times pico-USD, in nano-USD: a price of the interface is a thousand times one of the gateway. */
export const NANO_PER_MILLION_PER_PICO = 1_000n;

/** What tokens cost in nano-USD a million; null where a model is charged by other units. */
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

/** What other units cost in nano-USD, rounded up: nobody pays more than it says. */
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

/** What a call costs at least in nano-USD, rounded up: one search, of models that are charged by these; else nothing. */
export function describeRequestPrice(price: Price | null): NanoUsd {
  return toNano(price?.perSearch ?? null) ?? 0n;
}

/** Without the part of units that are no tokens; null when that is all there is. */
export function tokenPartOf(price: Price | null): Price | null {
  if (price === null) return null;
  const { perCharacter, perSecond, perImage, perSearch, input, output } = price;
  const isByUnit = [perCharacter, perSecond, perImage, perSearch].some((unit) => unit !== null);
  if (isByUnit && input === 0n && output === 0n) return null;
  return { ...price, perCharacter: null, perSecond: null, perImage: null, perSearch: null };
}

function perMillion(pico: bigint | null): NanoUsd | null {
  return pico === null ? null : pico * NANO_PER_MILLION_PER_PICO;
}

function toNano(pico: bigint | null): NanoUsd | null {
  return pico === null ? null : (pico + PICO_PER_NANO - 1n) / PICO_PER_NANO;
}
