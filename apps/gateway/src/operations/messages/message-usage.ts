import type { Usage } from "@tollgate/domain/pricing/usage.ts";

/** Converts usage to the Messages API format, which counts cached tokens separately. */
export function messageUsage(usage: Usage | null): object {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
  };
}
