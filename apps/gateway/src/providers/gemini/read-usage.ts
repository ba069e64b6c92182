import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { servedFacts } from "../../operations/requested-facts.ts";
import { billsSearchesOnce } from "../../operations/search-traits.ts";
import type { GeminiCandidate, GeminiUsage, ModalityCount } from "./gemini-wire.ts";

/** Calls of tools that Google bills separately. */
export type ToolCounts = Pick<Usage, "webSearches" | "toolCalls">;

export const NO_TOOLS: ToolCounts = { webSearches: 0, toolCalls: 0 };

/**
 * Converts Gemini usage to counters that don't overlap. Returns null if the prompt's token count is missing. The tools
 * are in the candidates.
 */
export function readGeminiUsage(raw: GeminiUsage, tools: ToolCounts = NO_TOOLS): Usage | null {
  if (!isCount(raw.promptTokenCount)) return null;
  const { prompt, output, thoughts } = reconcile(raw, raw.promptTokenCount);
  const cached = Math.min(countOf(raw.cachedContentTokenCount), prompt);
  const received =
    countOf(ofModality(raw.promptTokensDetails, "AUDIO")) - countOf(ofModality(raw.cacheTokensDetails, "AUDIO"));
  const spoken = countOf(ofModality(raw.candidatesTokensDetails, "AUDIO"));
  return {
    ...NO_USAGE,
    inputTokens: prompt - cached,
    cacheReadTokens: cached,
    outputTokens: output,
    reasoningTokens: thoughts,
    audioInputTokens: Math.max(0, Math.min(received, prompt - cached)),
    audioOutputTokens: Math.min(spoken, output - thoughts),
    ...tools,
    ...servedBy(raw),
    source: "reported",
  };
}

/** Vertex AI's names of the service tiers, in `trafficType`. Other traffic has the base price. */
const trafficTiers: Readonly<Record<string, string>> = {
  ON_DEMAND_PRIORITY: "priority",
  ON_DEMAND_FLEX: "flex",
  ON_DEMAND: "default",
  PROVISIONED_THROUGHPUT: "default",
};

/** The Gemini API's names of the base tier, in `serviceTier`. */
const standardTiers: ReadonlySet<string> = new Set(["standard", "unspecified", "service_tier_unspecified"]);

/**
 * Returns the service tier that served a call. The Gemini API names it in `usageMetadata.serviceTier`, in lowercase, and
 * Vertex AI in `usageMetadata.trafficType`.
 */
function servedBy({ serviceTier, trafficType }: GeminiUsage): Pick<Usage, "served"> | null {
  const tier = serviceTier?.toLowerCase() ?? trafficTiers[trafficType ?? ""];
  return tier === undefined ? null : { served: servedFacts(standardTiers.has(tier) ? "default" : tier) };
}

/** Counts the tools of a response as Google bills them. A response with places from Google Maps is billed once. */
export function countTools(candidates: readonly GeminiCandidate[], modelVersion: string | undefined): ToolCounts {
  const hasPlaces = candidates.some(({ groundingMetadata }) => {
    const chunks = groundingMetadata?.groundingChunks;
    return Array.isArray(chunks) && chunks.some((chunk: { readonly maps?: unknown } | null) => chunk?.maps != null);
  });
  return { webSearches: countSearches(candidates, modelVersion), toolCalls: hasPlaces ? 1 : 0 };
}

function countSearches(candidates: readonly GeminiCandidate[], modelVersion: string | undefined): number {
  const queries = candidates.reduce((sum, candidate) => {
    const { webSearchQueries: searched } = candidate.groundingMetadata ?? {};
    return sum + (Array.isArray(searched) ? searched.length : 0);
  }, 0);
  return billsSearchesOnce(modelVersion ?? "") ? Math.min(queries, 1) : queries;
}

/** Returns the usage in the chat completions format. */
export function publicUsage(usage: Usage, raw: GeminiUsage): object {
  const prompt = usage.inputTokens + usage.cacheReadTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens, ...modalities(raw.promptTokensDetails) },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      ...modalities(raw.candidatesTokensDetails),
    },
  };
}

interface Reconciled {
  /** Includes the tool-use prompt tokens. */
  readonly prompt: number;
  /** Includes thinking tokens. */
  readonly output: number;
  readonly thoughts: number;
}

/**
 * Makes the counters consistent with the total. Usually, candidate tokens exclude thinking tokens, and prompt tokens
 * exclude tool-use tokens. If the total shows that a model's counters include these tokens, they aren't added again.
 */
function reconcile(raw: GeminiUsage, prompt: number): Reconciled {
  const thoughts = countOf(raw.thoughtsTokenCount);
  const toolUse = countOf(raw.toolUsePromptTokenCount);
  const total = isCount(raw.totalTokenCount) ? raw.totalTokenCount : null;
  const rest = Math.max(0, (total ?? 0) - prompt - toolUse - thoughts);
  const candidates = isCount(raw.candidatesTokenCount) ? raw.candidatesTokenCount : rest;
  const apart = { prompt: prompt + toolUse, output: candidates + thoughts, thoughts };
  if (total === null || total === apart.prompt + apart.output) return apart;
  const thoughtsInside = { ...apart, output: candidates, thoughts: Math.min(thoughts, candidates) };
  const toolUseInside = { ...apart, prompt };
  const bothInside = { ...thoughtsInside, prompt };
  return [thoughtsInside, toolUseInside, bothInside].find((way) => way.prompt + way.output === total) ?? apart;
}

function modalities(details: readonly ModalityCount[] | undefined): object {
  const shown: Record<string, number> = {};
  for (const [name, modality] of shownModalities) {
    const count = ofModality(details, modality);
    if (isCount(count)) shown[name] = count;
  }
  return shown;
}

const shownModalities = [
  ["text_tokens", "TEXT"],
  ["image_tokens", "IMAGE"],
  ["audio_tokens", "AUDIO"],
] as const;

function ofModality(details: readonly ModalityCount[] | undefined, modality: string): number | undefined {
  return Array.isArray(details)
    ? (details as readonly ModalityCount[]).find((detail) => detail.modality === modality)?.tokenCount
    : undefined;
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}
