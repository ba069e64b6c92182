import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { ModelTraits } from "./model-traits.ts";

/** Minimum thinking budget that the provider accepts. */
const LEAST_BUDGET = 1_024;
/** Maximum share of the output that the thinking budget may use, so that tokens remain for the response. */
const MAX_OF_OUTPUT = 0.8;

/** Thinking budgets in tokens, for models that accept a budget. */
const budgets: Readonly<Record<string, number>> = {
  minimal: LEAST_BUDGET,
  low: LEAST_BUDGET,
  medium: 2_048,
  high: 4_096,
  xhigh: 8_192,
};

/** Reasoning settings in the Anthropic format. */
interface Reasoning {
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly effort?: string;
}

type RequestedReasoning = Pick<ChatRequest, "thinking" | "reasoning_effort">;

/**
 * Translates the requested reasoning effort. `maxTokens` limits the sum of thinking and response tokens. `isForced` is
 * true if the model must use a tool, which turns off thinking for models with a thinking budget.
 */
export function toReasoning(
  asked: RequestedReasoning,
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
    // Newer models think by default, and thinking can't be disabled in the newest ones.
    return traits.alwaysThinks ? { effort: "low" } : { thinking: { type: "disabled" } };
  }
  if (isAdaptive) {
    return { thinking: { type: "adaptive", display: "summarized" }, effort: effortOf(effort, traits) };
  }
  const budget = Math.min(budgets[effort] ?? LEAST_BUDGET, Math.floor(maxTokens * MAX_OF_OUTPUT));
  return isForced || budget < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/** Reports whether the model will think. */
export function isThinking({ thinking }: Reasoning): boolean {
  return thinking !== undefined && thinking.type !== "disabled";
}

function effortOf(effort: string, { knowsHighestEffort }: ModelTraits): string {
  if (effort === "minimal") return "low";
  return effort === "xhigh" && !knowsHighestEffort ? "high" : effort;
}
