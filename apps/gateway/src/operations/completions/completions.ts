import {
  CompletionRequest,
  CompletionRequestForModel,
  completionParams,
  DEFAULT_MAX_TOKENS,
} from "@tollgate/contracts/completions/completion-request.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../../call/deployment.ts";
import { type CountedCall, NO_PARTS, type OperationKind } from "../../call/operation-kind.ts";
import { countText } from "../../tokens/count-text.ts";
import { itemsOf, mostTokens } from "../../tokens/text-or-tokens.ts";
import { chat } from "../chat/chat.ts";
import { countUnreportedInput } from "../count-unreported-input.ts";
import { mostOutputOf, reachesModel, withTools } from "../estimate-input.ts";
import { estimatedUsage } from "../estimated-usage.ts";
import { checkCompletionRequest } from "./check-completion-request.ts";

/** Text completions: text that continues a prompt. */
export const completions: OperationKind<CompletionRequest> = {
  name: "completions",
  fields: {
    required: ["prompt"],
    params: completionParams,
    // A chat model may serve the request, so chat fields that affect the cost must not be in `extra_body` either.
    settled: new Set([...chat.fields.settled, "prompt", "best_of"]),
  },
  writesText: true,
  schema: CompletionRequest,
  schemaForModel: CompletionRequestForModel,
  takesModelInQuery: true,
  limitParams: ["max_tokens"],
  defaultOutputLimit: DEFAULT_MAX_TOKENS,
  // A chat model that serves the request also takes the tools of its provider.
  weighParts: (request) => withTools(NO_PARTS, request),
  check: checkCompletionRequest,
  formOf: (request) => (request.stream === true ? "events" : "whole"),
  wantsUsage: (request) => request.stream === true && request.stream_options?.include_usage === true,
  boundUsage,
  countUsage: (call, deployment, answer, outputTokens) =>
    estimatedUsage(countUnreportedInput(call, deployment), answer === null ? outputTokens : countTexts(answer)),
};

/**
 * Returns the maximum usage. Each prompt is read once and completed `n` times, or `best_of` times if some completions
 * are discarded. A chat model reads more than the prompt, such as instructions and tools, so its bound is that of a chat.
 */
function boundUsage(call: CountedCall<CompletionRequest>, deployment: Deployment): Usage | null {
  if (isServedByChat(deployment)) return null;
  const { prompt, max_tokens: asked, n, best_of: bestOf } = call.body.request;
  const given = prompt ?? "";
  const perAnswer = reachesModel("max_tokens", call, deployment)
    ? (asked ?? DEFAULT_MAX_TOKENS)
    : mostOutputOf(deployment);
  const answers = Math.max(n ?? 1, bestOf ?? 1) * itemsOf(given).length;
  const outputTokens = perAnswer * answers;
  const most = estimatedUsage(mostTokens(given, deployment.facts.maxInputTokens), outputTokens);
  // A reasoning model may spend all of its output on reasoning.
  const { reasoning = null, output = 0n } = deployment.price ?? {};
  return reasoning !== null && reasoning > output ? { ...most, reasoningTokens: outputTokens } : most;
}

function isServedByChat({ offers, provider }: Deployment): boolean {
  return offers.completions?.translation !== provider.translations.completions;
}

/** Counts the tokens in a complete response, given as a binary string. */
function countTexts(answer: string): number {
  const { choices } = JSON.parse(Buffer.from(answer, "latin1").toString("utf8")) as { readonly choices?: unknown };
  const texts = Array.isArray(choices) ? choices.map((choice: { readonly text?: unknown }) => choice.text) : [];
  return texts.reduce((sum: number, text) => sum + (typeof text === "string" ? countText(text) : 0), 0);
}
