import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { CohereUsage } from "./cohere-wire.ts";

/**
 * Returns a chat's usage, or null if the response has no usage. The provider reports all tokens and also the billed
 * tokens, which exclude the tokens that the provider adds to a prompt. Prices apply to billed tokens, so the usage
 * contains only billed tokens.
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

/** Returns the usage in the chat completions format. */
export function publicUsage({ inputTokens, cacheReadTokens, outputTokens }: Usage): object {
  const prompt = inputTokens + cacheReadTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
  };
}
