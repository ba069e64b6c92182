import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";

/** Creates usage with estimated token counts, for calls whose provider reported none. */
export function estimatedUsage(inputTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, inputTokens, outputTokens, source: "estimated" };
}
