import { type Price, priceInTier } from "@tollgate/domain/pricing/price-call.ts";

/** The most that a token of each direction can cost, in pico-USD. */
export interface DearestPrice {
  readonly input: bigint;
  readonly output: bigint;
}

interface Dearest {
  readonly usual: DearestPrice;
  readonly withAudio: DearestPrice;
}

const known = new WeakMap<Price, Dearest>();
const knownInTier = new WeakMap<Price, Dearest>();

/** The most a call of about this size can cost per token, whatever kind its tokens turn out to be. */
export function dearestPrice(price: Price, inputTokens: number, mayHaveAudio: boolean): DearestPrice {
  const isInTier = price.tier !== null && inputTokens > price.tier.aboveInputTokens;
  const dearest = isInTier ? remembered(knownInTier, price, true) : remembered(known, price, false);
  return mayHaveAudio ? dearest.withAudio : dearest.usual;
}

/** Whether audio costs more than text, so that it matters whether a call has any. */
export function pricesAudioApart({ audioInput, audioOutput }: Price): boolean {
  return audioInput !== null || audioOutput !== null;
}

function remembered(memory: WeakMap<Price, Dearest>, price: Price, isInTier: boolean): Dearest {
  const found = memory.get(price);
  if (found !== undefined) return found;
  const { input, output, cacheRead, cacheWrite, reasoning, audioInput, audioOutput } = price;
  // The size is a guess on the high side, so a call in the tier may turn out to be below it.
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
  return others.reduce<bigint>((dearest, each) => (each !== null && each > dearest ? each : dearest), first);
}
