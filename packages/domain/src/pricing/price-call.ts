import { type NanoUsd, PICO_PER_NANO } from "../money.ts";
import type { Usage } from "./usage.ts";

/** Pico-USD per unit. A kind of token without a price of its own is charged as the kind it is part of. */
export interface Price {
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheRead: bigint | null;
  readonly cacheWrite: bigint | null;
  readonly reasoning: bigint | null;
  readonly audioInput: bigint | null;
  readonly audioOutput: bigint | null;
  /** Of a text to be spoken; null: not charged by characters. The same goes for the next three. */
  readonly perCharacter: bigint | null;
  /** Of audio that is transcribed or spoken. */
  readonly perSecond: bigint | null;
  /** That is generated. */
  readonly perImage: bigint | null;
  /** Of documents. */
  readonly perSearch: bigint | null;
  /** For the whole of a call with a long prompt. */
  readonly tier: PriceTier | null;
}

/** What differs for a prompt of more tokens than that, cached ones included; null: as for any other. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cacheRead: bigint | null;
  readonly cacheWrite: bigint | null;
}

const MS_PER_SECOND = 1_000n;

/** What a call costs: exact in pico-USD, rounded half-up once, so it is off by half a nano-USD at most. */
export function priceCall(usage: Usage, price: Price): NanoUsd {
  const { tier } = price;
  const isLong =
    tier !== null && usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens > tier.aboveInputTokens;
  const pico = picoOf(usage, isLong ? priceInTier(price, tier) : price);
  if (usage.audioMs > 0 && price.perSecond !== null) {
    // In thousandths of a pico-USD, so that milliseconds are not rounded before the sum is.
    const sum = pico * MS_PER_SECOND + BigInt(usage.audioMs) * price.perSecond;
    return (sum + (PICO_PER_NANO * MS_PER_SECOND) / 2n) / (PICO_PER_NANO * MS_PER_SECOND);
  }
  return (pico + PICO_PER_NANO / 2n) / PICO_PER_NANO;
}

/** The price as it is for a prompt that is in the tier. */
export function priceInTier(price: Price, tier: PriceTier): Price {
  return {
    ...price,
    input: tier.input ?? price.input,
    output: tier.output ?? price.output,
    cacheRead: tier.cacheRead ?? price.cacheRead,
    cacheWrite: tier.cacheWrite ?? price.cacheWrite,
  };
}

/** Everything but audio by the second. */
function picoOf(usage: Usage, price: Price): bigint {
  const { input, output } = price;
  let pico = BigInt(usage.inputTokens) * input + BigInt(usage.outputTokens - usage.reasoningTokens) * output;
  // Most calls have none of these, and a product of big integers is not free.
  if (usage.cacheReadTokens > 0) pico += BigInt(usage.cacheReadTokens) * (price.cacheRead ?? input);
  if (usage.cacheWriteTokens > 0) pico += BigInt(usage.cacheWriteTokens) * (price.cacheWrite ?? input);
  if (usage.reasoningTokens > 0) pico += BigInt(usage.reasoningTokens) * (price.reasoning ?? output);
  // These are counted above already, so they cost what audio costs more or less than text.
  if (usage.audioInputTokens > 0) pico += BigInt(usage.audioInputTokens) * ((price.audioInput ?? input) - input);
  if (usage.audioOutputTokens > 0) pico += BigInt(usage.audioOutputTokens) * ((price.audioOutput ?? output) - output);
  if (usage.characters > 0) pico += BigInt(usage.characters) * (price.perCharacter ?? 0n);
  if (usage.images > 0) pico += BigInt(usage.images) * (price.perImage ?? 0n);
  if (usage.searches > 0) pico += BigInt(usage.searches) * (price.perSearch ?? 0n);
  return pico;
}
