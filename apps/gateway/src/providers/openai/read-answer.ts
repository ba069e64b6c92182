import { endOfObject, findTopLevelString } from "@tollgate/domain/json-text.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { countTokens } from "@tollgate/domain/pricing/units.generated.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { requestedTier, servedFacts } from "../../operations/requested-facts.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { readReportedFailure } from "./read-failure.ts";
import { type ReportedCost, readReportedCost } from "./read-reported-cost.ts";

/** Reads a complete response. Replaces the model name, extracts the usage, and leaves the rest unchanged. */
export function readChatAnswer(call: TranslatedCall, text: string): ReadAnswer {
  const found = findUsage(text);
  const usage = found?.usage == null ? null : withServedTier(found.usage, text, pricedTiersOf(call));
  // An object with valid usage counts as a valid response without further parsing. Any other text is parsed and
  // validated.
  if (found?.usage == null || !isObjectAround(text, text, found.end)) assertReadable(text);
  const model = findTopLevelString(text, "model");
  if (model === null) return { text, usage };
  return {
    text: text.slice(0, model.start) + call.model.shownJson + text.slice(model.end),
    usage,
  };
}

/** The name of the served tier. Quotes inside JSON strings are escaped, so text that the model wrote can't match. */
const TIER_NAME = '"service_tier"';
const TIER_VALUE = /\s*:\s*"([a-z_-]{1,32})"/y;

/** The tiers in a response that can change the price of a call. */
export type PricedTiers = "none" | "all" | "all but the base tier";

/** Returns the tiers that matter for a call. If its request names no tier, the base tier is the expected one. */
export function pricedTiersOf({ target, body }: Pick<TranslatedCall, "target" | "body">): PricedTiers {
  if (target?.facts.rateCard == null) return "none";
  return requestedTier(body.request) === null ? "all but the base tier" : "all";
}

/** Reports whether a text names a service tier. */
export function namesTier(text: string): boolean {
  return text.includes(TIER_NAME);
}

/** Adds the service tier that a response names, if the price depends on it. */
export function withServedTier(usage: Usage, text: string, tiers: PricedTiers): Usage {
  const at = tiers === "none" ? -1 : text.lastIndexOf(TIER_NAME);
  if (at < 0) return usage;
  TIER_VALUE.lastIndex = at + TIER_NAME.length;
  const tier = TIER_VALUE.exec(text)?.[1];
  if (tier === undefined || (tier === "default" && tiers !== "all")) return usage;
  return { ...usage, served: { ...servedFacts(tier), searchContext: usage.served?.searchContext ?? null } };
}

/** Reports whether a response's beginning starts with a brace and its ending ends with a brace after `end`. */
export function isObjectAround(beginning: string, ending: string, end: number): boolean {
  let last = ending.length - 1;
  while (ending.charCodeAt(last) <= 32) last -= 1;
  return beginning.charCodeAt(0) === 123 && ending.charCodeAt(last) === 125 && last >= end;
}

function assertReadable(text: string): void {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && Array.isArray((parsed as { choices?: unknown }).choices))
      return;
  } catch (error) {
    throw unreadable(error);
  }
  // The body can report a failure, because some upstreams send status 200 before they detect it.
  throw readReportedFailure(text, 502) ?? unreadable();
}

const MARK = '"usage"';
/** Maximum number of markers to check, so that an upstream that repeats the marker can't cause quadratic scanning. */
const MAX_CANDIDATES = 4;

interface FoundUsage {
  readonly start: number;
  readonly end: number;
  readonly usage: Usage | null;
}

/**
 * Finds the last usage object in the text without parsing any other data. Prefers an object with token counts, because
 * some upstreams add other objects named `usage`. Returns null if the text has no usage object or only `"usage":null`.
 * Quotes inside JSON strings are escaped, so the marker can't occur in content.
 */
export function findUsage(text: string): FoundUsage | null {
  let unreadable: FoundUsage | null = null;
  let candidates = 0;
  let at = text.lastIndexOf(MARK);
  while (at >= 0 && candidates < MAX_CANDIDATES) {
    const start = startOfObject(text, at + MARK.length);
    if (start > 0) {
      candidates += 1;
      const end = endOfObject(text, start);
      const usage = end > 0 ? readUsageObject(text.slice(start, end)) : null;
      if (usage !== null) return { start: at, end, usage };
      if (end > 0) unreadable ??= { start: at, end, usage };
    }
    at = at === 0 ? -1 : text.lastIndexOf(MARK, at - 1);
  }
  return unreadable;
}

/** Returns the start of the object that is the value of the key ending here, or -1 if the value isn't an object. */
function startOfObject(text: string, keyEnd: number): number {
  let position = keyEnd;
  while (text.charCodeAt(position) <= 32) position += 1;
  if (text.charCodeAt(position) !== 58) return -1;
  position += 1;
  while (text.charCodeAt(position) <= 32) position += 1;
  return text.charCodeAt(position) === 123 ? position : -1;
}

/** Converts OpenAI usage to counters that don't overlap. Returns null if a count is missing or implausible. */
export function readUsageObject(json: string): Usage | null {
  let raw: RawUsage;
  try {
    raw = JSON.parse(json) as RawUsage;
  } catch {
    return null;
  }
  if (!isCount(raw.prompt_tokens) || !isCount(raw.completion_tokens ?? 0)) return null;
  const prompt = raw.prompt_tokens + citedTokens(raw);
  const details = raw.prompt_tokens_details;
  // Upstreams use three names for tokens read from the cache and two for tokens written to it.
  const cached = details?.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens ?? 0;
  const written = details?.cache_creation_tokens ?? details?.cache_write_tokens ?? 0;
  const reasoning = raw.completion_tokens_details?.reasoning_tokens ?? raw.reasoning_tokens ?? 0;
  const completion = outputTokens(raw, reasoning);
  // Detail counts that exceed their total are ignored, because the provider bills by the total.
  const hasCache = isCount(cached) && isCount(written) && cached + written <= prompt;
  const inputTokens = hasCache ? prompt - cached - written : prompt;
  const spoken = raw.completion_tokens_details?.audio_tokens ?? 0;
  const reasoningTokens = isCount(reasoning) && reasoning <= completion ? reasoning : 0;
  const usage: Usage = countTokens(
    inputTokens,
    hasCache ? cached : 0,
    hasCache ? written : 0,
    completion,
    reasoningTokens,
    countAudioInput(raw, prompt, inputTokens),
    isCount(spoken) && spoken + reasoningTokens <= completion ? spoken : 0,
    0,
    "reported",
  );
  const hasCost = raw.cost !== undefined || raw.cost_in_usd_ticks !== undefined;
  const reportedCost = hasCost ? readReportedCost(raw, json) : null;
  const searches = raw.num_search_queries ?? raw.num_sources_used ?? raw.server_tool_use?.web_search_requests;
  const context = raw.search_context_size;
  if (searches === undefined && context === undefined && reportedCost === null) return usage;
  return {
    ...usage,
    ...(reportedCost !== null && { reportedCost }),
    webSearches: isCount(searches) ? searches : 0,
    ...(typeof context === "string" && { served: servedFacts(null, null, context) }),
  };
}

/**
 * Returns all output tokens. Most upstreams include reasoning tokens in the completion tokens. xAI counts them
 * separately, as its total shows. Perplexity's research models also bill them separately, but their total excludes
 * them.
 */
function outputTokens(raw: RawUsage, reasoning: unknown): number {
  const completion = (raw.completion_tokens ?? 0) as number;
  if (!isCount(reasoning) || reasoning === 0) return completion;
  const sum = (raw.prompt_tokens as number) + completion + reasoning;
  const isBeside = raw.total_tokens === sum || isCount(raw.citation_tokens);
  return isBeside ? completion + reasoning : completion;
}

/** Returns the number of tokens in search results that the model read. They are billed as input. */
function citedTokens({ citation_tokens: cited }: RawUsage): number {
  return isCount(cited) ? cited : 0;
}

/** Returns the prompt's uncached audio tokens. Cached audio is billed as cached tokens. */
function countAudioInput({ prompt_tokens_details: details }: RawUsage, prompt: number, inputTokens: number): number {
  const audio = details?.audio_tokens ?? 0;
  if (!isCount(audio) || audio > prompt) return 0;
  const cached = details?.cached_tokens_details?.audio_tokens;
  return Math.min(isCount(cached) && cached <= audio ? audio - cached : audio, inputTokens);
}

interface RawUsage extends ReportedCost {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly total_tokens?: unknown;
  readonly prompt_cache_hit_tokens?: unknown;
  readonly cached_tokens?: unknown;
  readonly reasoning_tokens?: unknown;
  readonly citation_tokens?: unknown;
  /** Searches, as Perplexity, xAI, and OpenRouter report them. */
  readonly num_search_queries?: unknown;
  readonly num_sources_used?: unknown;
  readonly server_tool_use?: { readonly web_search_requests?: unknown } | null;
  /** Perplexity's name for the size of a search's context. */
  readonly search_context_size?: unknown;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: unknown;
    readonly cache_creation_tokens?: unknown;
    readonly cache_write_tokens?: unknown;
    readonly audio_tokens?: unknown;
    readonly cached_tokens_details?: { readonly audio_tokens?: unknown } | null;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: unknown; readonly audio_tokens?: unknown } | null;
}
