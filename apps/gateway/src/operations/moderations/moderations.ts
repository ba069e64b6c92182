import { ModerationRequest } from "@tollgate/contracts/moderations/moderation-request.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { mostTokens } from "../../tokens/text-or-tokens.ts";
import { countUnreportedInput } from "../count-unreported-input.ts";
import { estimatedUsage } from "../estimated-usage.ts";

/** Number of tokens for a typical image. */
const TOKENS_PER_IMAGE = 1_000;

/** Moderations: checks text and images against a provider's policies. */
export const moderations: OperationKind<ModerationRequest> = {
  name: "moderations",
  fields: { required: ["input"], params: new Set(), settled: new Set(["model", "input"]) },
  schema: ModerationRequest,
  schemaForModel: ModerationRequest,
  check: () => {},
  formOf: () => "whole",
  wantsUsage: () => false,
  boundUsage: (call, deployment) =>
    estimatedUsage(mostInput(call.body.request.input, deployment.facts.maxInputTokens), 0),
  countUsage: (call, deployment) => estimatedUsage(countUnreportedInput(call, deployment), 0),
};

/**
 * Estimates the maximum input tokens. Text is estimated by length. Images have a fixed estimate, because the length of
 * an image URL doesn't predict its tokens.
 */
function mostInput(input: ModerationRequest["input"], mostPerItem: number | null): number {
  if (typeof input === "string" || typeof input[0] === "string")
    return mostTokens(input as string | string[], mostPerItem);
  const parts = input as Exclude<(typeof input)[number], string>[];
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return mostTokens(texts, mostPerItem) + (parts.length - texts.length) * TOKENS_PER_IMAGE;
}
