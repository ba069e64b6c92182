import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { TranslatedCall } from "../../call/provider.ts";
import { servedFacts } from "../../operations/requested-facts.ts";

/** The provider's usage counters. They don't overlap, because cached tokens aren't part of the input tokens. */
export interface Counters {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: unknown } | null;
  readonly server_tool_use?: { readonly web_search_requests?: unknown } | null;
  readonly inference_geo?: unknown;
  /** `fast` or `standard`. */
  readonly speed?: unknown;
  readonly output_tokens_details?: { readonly thinking_tokens?: unknown } | null;
  readonly iterations?: unknown;
  readonly service_tier?: unknown;
}

/**
 * Returns the call's usage, or null if a count is missing or implausible. `codeSessions` is the number of sessions in
 * which the provider ran code, which its counters don't contain.
 */
export function readUsage(counters: Counters | null | undefined, codeSessions = 0): Usage | null {
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
    longCacheWriteTokens: countUpTo(counters.cache_creation?.ephemeral_1h_input_tokens, cacheWriteTokens),
    webSearches: countUpTo(counters.server_tool_use?.web_search_requests, MAX_TOOL_CALLS),
    codeSessions,
    ...servedBy(counters),
    source: "reported",
  };
}

/** Maximum number of searches in one response. A larger count is invalid. */
const MAX_TOOL_CALLS = 1_000;

function countUpTo(value: unknown, most: number): number {
  return isCount(value) && value <= most ? value : 0;
}

/** Returns the service tier and the region, if they can change the price. */
function servedBy(counters: Counters): Pick<Usage, "served"> | null {
  const { inference_geo: region, speed } = counters;
  const tier = speed === "fast" ? "fast" : tierOf(counters);
  // A response that names its speed may have been requested at another one.
  const isUsualTier = tier === null || (tier === "default" && speed == null);
  if (isUsualTier && speed == null && (region == null || region === "global")) return null;
  return { served: servedFacts(tier ?? "default", region) };
}

/** Returns 1 if the provider ran code and bills it, in one session, and otherwise 0. */
export function countCodeSessions(blocks: readonly unknown[], call: Pick<TranslatedCall, "parts">): number {
  return (blocks as readonly (ToolUse | null)[]).some(isCodeExecution) && billsCode(call) ? 1 : 0;
}

/** Reports whether the provider bills the code that it runs for a call. */
export function billsCode({ parts }: Pick<TranslatedCall, "parts">): boolean {
  return parts?.tools?.isCodeFree !== true;
}

interface ToolUse {
  readonly type?: unknown;
  readonly name?: unknown;
}

/** Reports whether a block is a call of the provider's code execution. */
export function isCodeExecution(block: ToolUse | null | undefined): boolean {
  return block?.type === "server_tool_use" && typeof block.name === "string" && block.name.includes("code_execution");
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
