import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { isCount } from "../is-count.ts";
import type { CohereUsage } from "./cohere-wire.ts";

/**
 * What a chat used, or null when the answer does not say. The provider counts twice: all tokens, and those that it charges
 * for, which leave out what it adds to a prompt itself. Its prices are for the latter, so they are what a call used.
 */
export function readCohereUsage(raw: CohereUsage | null | undefined): Usage | null {
  const input = raw?.billed_units?.input_tokens ?? raw?.tokens?.input_tokens;
  const output = raw?.billed_units?.output_tokens ?? raw?.tokens?.output_tokens;
  if (!isCount(input) || !isCount(output)) return null;
  const cached = isCount(raw?.cached_tokens) ? Math.min(raw.cached_tokens, input) : 0;
  return {
    ...NO_USAGE,
    inputTokens: input - cached,
    cacheReadTokens: cached,
    outputTokens: output,
    source: "reported",
  };
}

/** The same as a chat answer shows it. */
export function publicUsage({ inputTokens, cacheReadTokens, outputTokens }: Usage): object {
  const prompt = inputTokens + cacheReadTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
  };
}
