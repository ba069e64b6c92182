import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { GeminiUsage, ModalityCount } from "./gemini-wire.ts";

/** Converts Gemini usage to counters that don't overlap. Returns null if the prompt's token count is missing. */
export function readGeminiUsage(raw: GeminiUsage): Usage | null {
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
    source: "reported",
  };
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
