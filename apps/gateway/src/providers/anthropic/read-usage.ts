import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { isCount } from "../is-count.ts";

/** The provider's own counters, which already do not overlap: cached tokens are not part of its input. */
export interface Counters {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  readonly output_tokens_details?: { readonly thinking_tokens?: unknown } | null;
  readonly iterations?: unknown;
  readonly service_tier?: unknown;
}

/** What a call used, or null when a count is missing or impossible. */
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

/** The usage as clients of chat completions read it: everything the prompt had is in `prompt_tokens`. */
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

/** The tier that served a call, by the names clients know. */
export function tierOf(counters: Counters | null | undefined): string | null {
  const tier = counters?.service_tier;
  if (typeof tier !== "string") return null;
  return tier === "standard" ? "default" : tier;
}

/** What it took to shorten a conversation on the way, which the provider charges for but leaves out of its totals. */
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
