import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { outputOf, type Script } from "./script.ts";

/** Final progress of an attempt. */
export interface Progress {
  /** Number of words that the upstream wrote to the connection. */
  readonly words: number;
  readonly isComplete: boolean;
}

/** Returns the upstream's charge for an attempt, at list price. */
export function billAttempt(script: Script, progress: Progress, limit: number | null, price: Price): bigint {
  if (script.fault === "refuses") return 0n;
  const usage = {
    ...NO_USAGE,
    inputTokens: price.input > 0n ? script.inputTokens : 0,
    outputTokens: billedOutput(script, progress, limit),
    audioMs: script.audioSeconds * 1_000,
  };
  return priceCall(usage, price);
}

function billedOutput(script: Script, { words, isComplete }: Progress, limit: number | null): number {
  const { fault, onAbort, hidden } = script;
  // No provider can bill for more output than the request allowed, no matter how much output it sent.
  if (fault === "endless" || fault === "ignores limit") return Math.min(words + hidden, limit ?? words + hidden);
  return isComplete || onAbort === "bills all" ? outputOf(script) : words;
}
