import { type Price, priceInTier } from "@tollgate/domain/pricing/price-call.ts";

/** Maximum price per input and output token, in pico-USD. */
export interface MaxTokenPrice {
  readonly input: bigint;
  readonly output: bigint;
}

interface MaxPrice {
  readonly usual: MaxTokenPrice;
  readonly withAudio: MaxTokenPrice;
}

const known = new WeakMap<Price, MaxPrice>();
const knownInTier = new WeakMap<Price, MaxPrice>();

/** Returns the maximum price per token for a call of about this size, at the highest price of any token type. */
export function maxTokenPrice(price: Price, inputTokens: number, mayHaveAudio: boolean): MaxTokenPrice {
  const isInTier = price.tier !== null && inputTokens > price.tier.aboveInputTokens;
  const maxPrice = isInTier ? remembered(knownInTier, price, true) : remembered(known, price, false);
  return mayHaveAudio ? maxPrice.withAudio : maxPrice.usual;
}

/** Reports whether audio is priced separately from text. If so, the price depends on whether a call contains audio. */
export function pricesAudioApart({ audioInput, audioOutput }: Price): boolean {
  return audioInput !== null || audioOutput !== null;
}

function remembered(memory: WeakMap<Price, MaxPrice>, price: Price, isInTier: boolean): MaxPrice {
  const found = memory.get(price);
  if (found !== undefined) return found;
  const { input, output, cacheRead, cacheWrite, reasoning, audioInput, audioOutput } = price;
  // The size is an upper bound, so a call that is estimated to be in this tier may turn out to be below the tier.
  const tier = isInTier && price.tier !== null ? priceInTier(price, price.tier) : price;
  const usual = {
    input: most(input, cacheRead, cacheWrite, tier.input, tier.cacheRead, tier.cacheWrite),
    output: most(output, reasoning, tier.output),
  };
  const withAudio = { input: most(usual.input, audioInput), output: most(usual.output, audioOutput) };
  const made = { usual, withAudio };
  memory.set(price, made);
  return made;
}

function most(first: bigint, ...others: readonly (bigint | null)[]): bigint {
  return others.reduce<bigint>((maxPrice, each) => (each !== null && each > maxPrice ? each : maxPrice), first);
}
