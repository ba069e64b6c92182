import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { TranslatedCall } from "../../call/provider.ts";
import { servedFacts } from "../../operations/requested-facts.ts";
import { parseObject } from "./parse-object.ts";
import { type ReportedCost, readReportedCost } from "./read-reported-cost.ts";

interface RawUsage extends ReportedCost {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly input_tokens_details?: {
    readonly cached_tokens?: unknown;
    readonly cache_write_tokens?: unknown;
    readonly cache_creation_tokens?: unknown;
  } | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: unknown } | null;
  /** xAI: the tools that it ran and bills. */
  readonly server_side_tool_usage_details?: BilledTools | null;
}

/** xAI's counts of its tools. It bills X searches by the posts and profiles that they return, and other tools by call. */
interface BilledTools {
  readonly web_search_calls?: unknown;
  readonly file_search_calls?: unknown;
  readonly document_search_calls?: unknown;
  readonly code_interpreter_calls?: unknown;
  readonly x_search_calls?: unknown;
  readonly x_posts_fetched?: unknown;
  readonly x_users_fetched?: unknown;
}

type ToolCounts = Pick<Usage, "webSearches" | "fileSearches" | "codeSessions" | "toolCalls">;

/** A member of a response: its name and its value as JSON. */
type ReadMember = (name: string) => string | null;

/**
 * Returns the usage of a response, with the tools that the provider ran and the service tier. They are read only if the
 * request has such tools, and if the price depends on the tier.
 */
export function readResponseUsage(read: ReadMember, call: Pick<TranslatedCall, "parts" | "target">): Usage | null {
  const json = read("usage");
  const raw = json === null ? null : (parseObject(json) as RawUsage | null);
  const usage = json === null || raw === null ? null : readTokens(raw, json);
  if (raw === null || usage === null) return null;
  const tools = call.parts?.tools === undefined ? null : countTools(raw, read);
  const named = call.target?.facts.rateCard == null ? null : (read("service_tier")?.trim() ?? null);
  const tier = named?.startsWith('"') === true ? named.slice(1, -1) : null;
  if (tools === null && tier === null) return usage;
  return { ...usage, ...tools, ...(tier !== null && { served: servedFacts(tier) }) };
}

interface OutputItem {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly container_id?: unknown;
  readonly action?: { readonly type?: unknown } | null;
}

/** Counts the tools that the provider ran, from its own counts or from the items of the response. */
function countTools({ server_side_tool_usage_details: billed }: RawUsage, read: ReadMember): ToolCounts {
  return billed == null ? countItems(read("output")) : readBilledTools(billed);
}

/** The number of posts that cost as much as a profile. */
const POSTS_PER_PROFILE = 2;

function readBilledTools(billed: BilledTools): ToolCounts {
  const { x_posts_fetched: posts, x_users_fetched: profiles } = billed;
  const hasResults = posts != null || profiles != null;
  return {
    webSearches: countOf(billed.web_search_calls),
    fileSearches: countOf(billed.file_search_calls) + countOf(billed.document_search_calls),
    codeSessions: countOf(billed.code_interpreter_calls),
    toolCalls: hasResults ? countOf(posts) + POSTS_PER_PROFILE * countOf(profiles) : countOf(billed.x_search_calls),
  };
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}

/** Counts the calls in a response. Code runs in a session, which several calls can share. */
function countItems(output: string | null): ToolCounts {
  const items = parseItems(output);
  const count = (type: string): number => items.filter((item) => item?.type === type).length;
  // Opening a page of an earlier search is not another search.
  const searches = items.filter(
    (item) => item?.type === "web_search_call" && (item.action?.type ?? "search") === "search",
  );
  const code = items.filter((item) => item?.type === "code_interpreter_call");
  return {
    webSearches: searches.length,
    fileSearches: count("file_search_call"),
    codeSessions: new Set(code.map((item) => item?.container_id ?? item?.id)).size,
    toolCalls: count("x_search_call"),
  };
}

function parseItems(output: string | null): readonly (OutputItem | null)[] {
  if (output === null) return [];
  try {
    const items: unknown = JSON.parse(output);
    return Array.isArray(items) ? (items as readonly (OutputItem | null)[]) : [];
  } catch {
    return [];
  }
}

/** Converts a response's usage to counters that don't overlap. Returns null if a count is missing or implausible. */
function readTokens(raw: RawUsage, json: string): Usage | null {
  if (!isCount(raw.input_tokens) || !isCount(raw.output_tokens)) return null;
  const details = raw.input_tokens_details;
  const cached = details?.cached_tokens ?? 0;
  // Upstreams use two names for tokens written to the cache.
  const written = details?.cache_write_tokens ?? details?.cache_creation_tokens ?? 0;
  const reasoning = raw.output_tokens_details?.reasoning_tokens ?? 0;
  // Detail counts that exceed their total are ignored, because the provider bills by the total.
  const hasCache = isCount(cached) && isCount(written) && cached + written <= raw.input_tokens;
  const cacheReadTokens = hasCache ? cached : 0;
  const cacheWriteTokens = hasCache ? written : 0;
  const reportedCost = raw.cost_in_usd_ticks === undefined ? null : readReportedCost(raw, json);
  return {
    ...NO_USAGE,
    inputTokens: raw.input_tokens - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: raw.output_tokens,
    reasoningTokens: isCount(reasoning) && reasoning <= raw.output_tokens ? reasoning : 0,
    ...(reportedCost !== null && { reportedCost }),
  };
}
