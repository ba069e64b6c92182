import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { ModelTraits } from "./model-traits.ts";

/** The least the provider lets a model think. */
const LEAST_BUDGET = 1_024;
/** A budget is a part of all that a model may write, so something must be left for the answer. */
const MAX_OF_OUTPUT = 0.8;

/** Tokens to think with, for models that are told a number. */
const budgets: Readonly<Record<string, number>> = {
  minimal: LEAST_BUDGET,
  low: LEAST_BUDGET,
  medium: 2_048,
  high: 4_096,
  xhigh: 8_192,
};

/** How much a model is to think, in this dialect. */
export interface Reasoning {
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly effort?: string;
}

type ModelCallResult = Pick<ChatRequest, "thinking" | "reasoning_effort">;

/**
 * Translates how much thinking a request wants. `maxTokens` bounds thoughts and answer together; `isForced` says that the
 * model must use a tool, which one that thinks by a budget cannot be told.
 */
export function toReasoning(
  asked: ModelCallResult,
  traits: ModelTraits,
  maxTokens: number,
  isForced: boolean,
): Reasoning {
  const { thinking, reasoning_effort: effort } = asked;
  const isAdaptive = traits.thinking === "adaptive";
  if (thinking != null) {
    return { thinking, ...(isAdaptive && effort != null && effort !== "none" && { effort: effortOf(effort, traits) }) };
  }
  if (effort == null || traits.thinking === "none") return {};
  if (effort === "none") {
    if (!isAdaptive) return {};
    // Newer models think unless told not to, and the newest think all the same.
    return traits.alwaysThinks ? { effort: "low" } : { thinking: { type: "disabled" } };
  }
  if (isAdaptive) {
    return { thinking: { type: "adaptive", display: "summarized" }, effort: effortOf(effort, traits) };
  }
  const budget = Math.min(budgets[effort] ?? LEAST_BUDGET, Math.floor(maxTokens * MAX_OF_OUTPUT));
  return isForced || budget < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/** Whether the model will think. */
export function isThinking({ thinking }: Reasoning): boolean {
  return thinking !== undefined && thinking.type !== "disabled";
}

function effortOf(effort: string, { knowsHighestEffort }: ModelTraits): string {
  if (effort === "minimal") return "low";
  return effort === "xhigh" && !knowsHighestEffort ? "high" : effort;
}
