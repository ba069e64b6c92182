import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";

/** Token usage as reported by audio and image operations. */
interface RawTokens {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly input_token_details?: { readonly audio_tokens?: unknown } | null;
}

/** Returns input and output tokens, or null if a count is missing or implausible. */
export function readTokenUsage(reported: unknown): Usage | null {
  const raw = (reported ?? {}) as RawTokens;
  const { input_tokens: input, output_tokens: output, input_token_details: details } = raw;
  if (!isCount(input) || !isCount(output)) return null;
  const received = details?.audio_tokens ?? 0;
  return {
    ...NO_USAGE,
    inputTokens: input,
    outputTokens: output,
    // Detail counts that exceed their total are ignored.
    audioInputTokens: isCount(received) && received <= input ? received : 0,
  };
}
