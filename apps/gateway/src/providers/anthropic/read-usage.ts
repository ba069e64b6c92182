import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";

/** The provider's usage counters. They don't overlap, because cached tokens aren't part of the input tokens. */
export interface Counters {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  readonly output_tokens_details?: { readonly thinking_tokens?: unknown } | null;
  readonly iterations?: unknown;
  readonly service_tier?: unknown;
}

/** Returns the call's usage, or null if a count is missing or implausible. */
export function readUsage(counters: Counters | null | undefined): Usage | null {
  if (counters == null) return null;
  const input = counters.input_tokens;
  const output = counters.output_tokens;
  const cacheReadTokens = counters.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = counters.cache_creation_input_tokens ?? 0;
  const reasoning = counters.output_tokens_details?.thinking_tokens ?? 0;
  if (!isCount(input) || !isCount(output) || !isCount(cacheReadTokens) || !isCount(cacheWriteTokens)) return null;
  const summary = summaryOf(counters.iterations);
  const outputTokens = output + summary.output;
  return {
    ...NO_USAGE,
    inputTokens: input + summary.input,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens: isCount(reasoning) && reasoning <= outputTokens ? reasoning : 0,
    source: "reported",
  };
}

/** Writes usage in the chat completions format, in which `prompt_tokens` includes all input tokens. */
export function writeUsage(usage: Usage): object {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_creation_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Returns the service tier that served a call, by its OpenAI name. */
export function tierOf(counters: Counters | null | undefined): string | null {
  const tier = counters?.service_tier;
  if (typeof tier !== "string") return null;
  return tier === "standard" ? "default" : tier;
}

/** Returns the tokens used to compact the conversation, which the provider bills but omits from its totals. */
function summaryOf(iterations: unknown): { input: number; output: number } {
  const sum = { input: 0, output: 0 };
  if (!Array.isArray(iterations)) return sum;
  for (const iteration of iterations as (({ readonly type?: unknown } & Counters) | null)[]) {
    if (iteration?.type !== "compaction") continue;
    if (isCount(iteration.input_tokens)) sum.input += iteration.input_tokens;
    if (isCount(iteration.output_tokens)) sum.output += iteration.output_tokens;
  }
  return sum;
}
