import { endOfObject } from "@tollgate/domain/json-text.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";

const MARK = '"usage"';
/** An upstream that repeats the mark without end must not cost a search of the whole text each time. */
const MAX_CANDIDATES = 4;
/** No model takes or gives this many tokens in one call, so a larger count is not a count. */
const MAX_TOKENS = 1_000_000_000;

export interface FoundUsage {
  readonly start: number;
  readonly end: number;
  readonly usage: Usage | null;
}

/**
 * The last usage object in the text, without parsing anything else. Quotes inside JSON strings are escaped, so the mark
 * cannot be content. Null where there is none or only `"usage":null`. One that counts tokens is preferred, because
 * upstreams put other objects of that name beside it.
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

/** Where the object begins that is the value of the key ending here, or -1 when its value is no object. */
function startOfObject(text: string, keyEnd: number): number {
  let position = keyEnd;
  while (text.charCodeAt(position) <= 32) position += 1;
  if (text.charCodeAt(position) !== 58) return -1;
  position += 1;
  while (text.charCodeAt(position) <= 32) position += 1;
  return text.charCodeAt(position) === 123 ? position : -1;
}

/** Usage of this wire as counters that do not overlap, or null when a count is missing or impossible. */
export function readUsageObject(json: string): Usage | null {
  let raw: RawUsage;
  try {
    raw = JSON.parse(json) as RawUsage;
  } catch {
    return null;
  }
  const prompt = raw.prompt_tokens;
  const completion = raw.completion_tokens ?? 0;
  if (!isCount(prompt) || !isCount(completion)) return null;
  const cached = raw.prompt_tokens_details?.cached_tokens ?? 0;
  const written = raw.prompt_tokens_details?.cache_creation_tokens ?? 0;
  const reasoning = raw.completion_tokens_details?.reasoning_tokens ?? 0;
  // Details that exceed their total are not believed: the total is what the provider charges by.
  const hasCache = isCount(cached) && isCount(written) && cached + written <= prompt;
  return {
    inputTokens: hasCache ? prompt - cached - written : prompt,
    cacheReadTokens: hasCache ? cached : 0,
    cacheWriteTokens: hasCache ? written : 0,
    outputTokens: completion,
    reasoningTokens: isCount(reasoning) && reasoning <= completion ? reasoning : 0,
    source: "reported",
  };
}

interface RawUsage {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: unknown;
    readonly cache_creation_tokens?: unknown;
  } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: unknown } | null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
}
