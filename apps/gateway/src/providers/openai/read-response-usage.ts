import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { parseObject } from "./parse-object.ts";

interface RawUsage {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly input_tokens_details?: { readonly cached_tokens?: unknown } | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: unknown } | null;
}

/** Converts a response's usage to counters that don't overlap. Returns null if a count is missing or implausible. */
export function readResponseUsage(json: string): Usage | null {
  const raw = parseObject(json) as RawUsage | null;
  if (raw === null || !isCount(raw.input_tokens) || !isCount(raw.output_tokens)) return null;
  const cached = raw.input_tokens_details?.cached_tokens ?? 0;
  const reasoning = raw.output_tokens_details?.reasoning_tokens ?? 0;
  // Detail counts that exceed their total are ignored, because the provider bills by the total.
  const cacheReadTokens = isCount(cached) && cached <= raw.input_tokens ? cached : 0;
  return {
    ...NO_USAGE,
    inputTokens: raw.input_tokens - cacheReadTokens,
    cacheReadTokens,
    outputTokens: raw.output_tokens,
    reasoningTokens: isCount(reasoning) && reasoning <= raw.output_tokens ? reasoning : 0,
  };
}
