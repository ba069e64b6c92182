import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { RUNS } from "../authenticate-internal.ts";
import type { Call } from "../call.ts";

const LAST_FRAME = "data: [DONE]";

/**
 * Returns the header line that reports the charged usage to a run's worker, or an empty string for all other callers.
 * The body contains the upstream's report, which may be implausible.
 */
export function runUsageLine(call: Call, usage: Usage): string {
  return call.exchange.endpoint === RUNS ? `x-gw-usage: ${writeUsage(usage)}\r\n` : "";
}

/** Adds the charged usage to the last frames of a stream. The additional usage frame replaces the previous one. */
export function withRunUsage(call: Call, usage: Usage | null, tail: string): string {
  const end = tail.lastIndexOf(LAST_FRAME);
  if (call.exchange.endpoint !== RUNS || usage === null || end < 0) return tail;
  return `${tail.slice(0, end)}data: {"choices":[],"usage":${writeUsage(usage)}}\n\n${tail.slice(end)}`;
}

function writeUsage({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Usage): string {
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
  return `{"prompt_tokens":${prompt},"completion_tokens":${outputTokens},"total_tokens":${prompt + outputTokens}}`;
}
