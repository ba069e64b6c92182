import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { GeminiTraits } from "./gemini-traits.ts";

type ModelCallResult = Pick<ChatRequest, "reasoning_effort" | "thinking">;

/** What each effort is worth where thinking is bounded in tokens: the figures of Google's own OpenAI surface. */
const budgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576 };
/** A model that always thinks takes no smaller budget. */
const SMALLEST_BUDGET = 128;

/** How much the model shall think, or null when the request leaves that to it. A budget in tokens wins over an effort. */
export function buildThinkingConfig(
  { reasoning_effort, thinking }: ModelCallResult,
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

/** The nearest level the model has. None of them stops it from thinking, so `none` is the least there is. */
function levelOf(effort: string, { lowestLevel, hasMediumLevel }: GeminiTraits): string {
  if (effort === "none" || effort === "minimal") return lowestLevel;
  if (effort === "low") return "low";
  if (effort === "medium") return hasMediumLevel ? "medium" : "high";
  return "high";
}
