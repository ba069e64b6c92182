import { type NanoUsd, PICO_PER_NANO } from "../money.ts";
import type { Usage } from "./usage.ts";

/** Pico-USD per token. A kind without a price of its own is charged as the kind it is part of. */
export interface Price {
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheRead: bigint | null;
  readonly cacheWrite: bigint | null;
  readonly reasoning: bigint | null;
}

/** What a call costs: exact in pico-USD, rounded half-up once, so it is off by half a nano-USD at most. */
export function priceCall(usage: Usage, price: Price): NanoUsd {
  let pico =
    BigInt(usage.inputTokens) * price.input + BigInt(usage.outputTokens - usage.reasoningTokens) * price.output;
  // Most calls have none of these, and a product of big integers is not free.
  if (usage.cacheReadTokens > 0) pico += BigInt(usage.cacheReadTokens) * (price.cacheRead ?? price.input);
  if (usage.cacheWriteTokens > 0) pico += BigInt(usage.cacheWriteTokens) * (price.cacheWrite ?? price.input);
  if (usage.reasoningTokens > 0) pico += BigInt(usage.reasoningTokens) * (price.reasoning ?? price.output);
  return (pico + PICO_PER_NANO / 2n) / PICO_PER_NANO;
}
