import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { GeminiTraits } from "./gemini-traits.ts";

type RequestedThinking = Pick<ChatRequest, "reasoning_effort" | "thinking">;

/** Thinking budgets by effort, in tokens. Google's own OpenAI-compatible API uses the same values. */
const budgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576 };
/** Minimum thinking budget for a model that always thinks. */
const SMALLEST_BUDGET = 128;

/** Builds the thinking settings. Returns null if the request doesn't set any. A token budget overrides an effort. */
export function buildThinkingConfig(
  { reasoning_effort, thinking }: RequestedThinking,
  traits: GeminiTraits,
): object | null {
  if (traits.thinking === "none") return null;
  if (thinking != null) {
    if (thinking.type === "disabled") return withEffort("none", traits);
    const budget = thinking.budget_tokens ?? (traits.thinking === "budget" ? -1 : null);
    return { includeThoughts: true, ...(budget !== null && { thinkingBudget: budget }) };
  }
  return reasoning_effort == null ? null : withEffort(reasoning_effort, traits);
}

function withEffort(effort: string, traits: GeminiTraits): object {
  const includeThoughts = effort !== "none";
  if (traits.thinking === "level") return { includeThoughts, thinkingLevel: levelOf(effort, traits) };
  if (effort === "none") return { includeThoughts, thinkingBudget: traits.canStopThinking ? 0 : SMALLEST_BUDGET };
  return { includeThoughts, thinkingBudget: budgets[effort] ?? traits.largestBudget };
}

/**
 * Returns the nearest level that the model supports. No level turns thinking off, so `none` maps to the lowest level.
 */
function levelOf(effort: string, { lowestLevel, hasMediumLevel }: GeminiTraits): string {
  if (effort === "none" || effort === "minimal") return lowestLevel;
  if (effort === "low") return "low";
  if (effort === "medium") return hasMediumLevel ? "medium" : "high";
  return "high";
}
