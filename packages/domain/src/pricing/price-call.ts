import { type NanoUsd, PICO_PER_NANO } from "../money.ts";
import type { UnitPrices } from "./billing-units.ts";
import { addUnits } from "./units.generated.ts";
import type { Usage } from "./usage.ts";

/** Pico-USD per unit. A token type without its own price is billed as the type it is part of. */
export interface Price extends UnitPrices {
  /** Prices that apply to the entire call if its prompt is long. */
  readonly tier: PriceTier | null;
}

/** Price overrides for prompts above this many tokens, including cached tokens; null keeps the base price. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly input: bigint | null;
  readonly output: bigint | null;
  readonly cacheRead: bigint | null;
  readonly cacheWrite: bigint | null;
  /** Price of tokens that are cached for one hour. */
  readonly longCacheWrite?: bigint | null;
}

const MS_PER_SECOND = 1_000n;

/** Computes the cost of a call: exact in pico-USD, rounded half-up once, so at most half a nano-USD off. */
export function priceCall(usage: Usage, price: Price): NanoUsd {
  const { tier } = price;
  const isLong =
    tier !== null && usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens > tier.aboveInputTokens;
  const pico = picoOf(usage, isLong ? priceInTier(price, tier) : price);
  if (usage.audioMs > 0 && price.perSecond !== null) {
    // The sum is in thousandths of a pico-USD, so that only the final amount is rounded.
    const sum = pico * MS_PER_SECOND + BigInt(usage.audioMs) * price.perSecond;
    return (sum + (PICO_PER_NANO * MS_PER_SECOND) / 2n) / (PICO_PER_NANO * MS_PER_SECOND);
  }
  return (pico + PICO_PER_NANO / 2n) / PICO_PER_NANO;
}

/** Returns the price with the tier's overrides applied. */
export function priceInTier(price: Price, tier: PriceTier): Price {
  return {
    ...price,
    input: tier.input ?? price.input,
    output: tier.output ?? price.output,
    cacheRead: tier.cacheRead ?? price.cacheRead,
    cacheWrite: tier.cacheWrite ?? price.cacheWrite,
    longCacheWrite: tier.longCacheWrite ?? price.longCacheWrite,
  };
}

/** Computes everything except audio billed by the second. */
function picoOf(usage: Usage, price: Price): bigint {
  const { input, output } = price;
  let pico = BigInt(usage.inputTokens) * input + BigInt(usage.outputTokens - usage.reasoningTokens) * output;
  // Most calls have none of these units, and bigint multiplication is slow.
  if (usage.cacheReadTokens > 0) pico += BigInt(usage.cacheReadTokens) * (price.cacheRead ?? input);
  if (usage.cacheWriteTokens > 0) pico += BigInt(usage.cacheWriteTokens) * (price.cacheWrite ?? input);
  if (usage.longCacheWriteTokens > 0) pico += BigInt(usage.longCacheWriteTokens) * longCacheSurcharge(price);
  if (usage.reasoningTokens > 0) pico += BigInt(usage.reasoningTokens) * (price.reasoning ?? output);
  // Audio tokens are already counted above, so add only the difference between the audio and text prices.
  if (usage.audioInputTokens > 0) pico += BigInt(usage.audioInputTokens) * ((price.audioInput ?? input) - input);
  if (usage.audioOutputTokens > 0) pico += BigInt(usage.audioOutputTokens) * ((price.audioOutput ?? output) - output);
  return addUnits(pico, usage, price);
}

/** Returns the price of caching a token for one hour, in addition to the price of writing it to the cache. */
function longCacheSurcharge({ input, cacheWrite, longCacheWrite }: Price): bigint {
  const write = cacheWrite ?? input;
  return (longCacheWrite ?? write) - write;
}

/** Upper bound for a plausible token count. No model uses this many tokens in one call. */
const MAX_TOKENS = 1_000_000_000;

/** Reports whether a value reported by an upstream can be a token count. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
