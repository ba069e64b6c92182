import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { OutputMeter } from "../../tokens/output-meter.ts";
import type { CallAccount } from "./call-account.ts";
import { choicesOf, estimateParts, requestedMaxOutput } from "./estimate-call.ts";
import { costOf, pricedAs } from "./priced-as.ts";

/** Assumed maximum output of a model without a known limit, for checking a report. */
const MAX_ANSWER = 131_072;
/** Maximum number of tokens per byte, for any tokenizer. */
const TOKENS_PER_BYTE = 4;
/** Allowance for input that providers add to a request, such as tool instructions. */
const SPARE_INPUT = 4_096;
/** Factor by which the token estimate of an image or audio part may be off. */
const PARTS_FACTOR = 8;
/** Number of input tokens that providers may add to text. For short text, the factor alone would not cover them. */
const SPARE_AROUND_TEXT = 256;
/**
 * Maximum plausible total number of tokens, for counts that nothing else bounds: tokens without a price, and the input
 * of a video if the model's context window is unknown.
 */
const MAX_FREE_TOKENS = 10_000_000;

/**
 * Returns the usage of a call: the upstream's report, or the gateway's own count if the report is impossible. The count
 * is capped at the maximum that the model was allowed.
 */
export function usageOf(
  account: CallAccount,
  reported: Usage | null,
  answer: string | null,
  output: OutputMeter | null,
): Usage {
  if (reported !== null && isPossible(account, reported)) return reported;
  const { call, deployment } = account;
  const counted = call.kind.countUsage(call, deployment, answer, output?.count() ?? 0);
  // Some counted values come from the response, which is untrusted.
  if (!hasTokenLimits(account)) return isWithinBound(account, counted) ? counted : boundOf(account);
  const outputTokens = Math.min(counted.outputTokens, mostOutput(account));
  if (reported === null) return { ...counted, outputTokens };
  const input = isPossibleInput(account, reported) ? reported : counted;
  const answered = isPossibleOutput(account, reported) ? reported : { ...counted, outputTokens };
  return {
    ...answered,
    inputTokens: input.inputTokens,
    cacheReadTokens: input.cacheReadTokens,
    cacheWriteTokens: input.cacheWriteTokens,
    audioInputTokens: input.audioInputTokens,
    source: "estimated",
  };
}

/** Reports whether a call could have had this usage. */
export function isPossible(account: CallAccount, usage: Usage): boolean {
  if (!hasTokenLimits(account)) return isWithinBound(account, usage);
  return isPossibleOutput(account, usage) && isPossibleInput(account, usage);
}

/**
 * Returns the maximum output tokens of the response, which is the limit sent to the model, or the model's maximum if no
 * limit is sent.
 */
export function mostOutput(account: CallAccount): number {
  const { call, deployment, heldOutput, openChoices } = account;
  const longest = deployment.facts.maxOutputTokens ?? MAX_ANSWER;
  if (call.isStream) return openChoices === 0 ? heldOutput : Math.max(heldOutput, longest * openChoices);
  const isReported = call.outputLimit !== null || requestedMaxOutput(call, deployment) !== null;
  return isReported ? heldOutput : Math.max(heldOutput, longest * choicesOf(call));
}

/** Reports whether output is limited in tokens, which is true only for operations that generate text. */
export function hasTokenLimits({ call }: CallAccount): boolean {
  return call.kind.writesText === true;
}

/** Reports whether the usage is plausible, given the request's bound on everything that is charged. */
function isWithinBound(account: CallAccount, usage: Usage): boolean {
  const { call, deployment } = account;
  if (usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens > MAX_FREE_TOKENS) {
    return false;
  }
  const priced = pricedAs(call, deployment);
  const largest = call.kind.largestUsage?.(call, deployment);
  if (largest !== undefined) return costOf(priced, usage) <= costOf(priced, largest);
  const bound = boundOf(account);
  const most = { ...bound, inputTokens: bound.inputTokens + SPARE_AROUND_TEXT };
  return costOf(priced, usage) <= costOf(priced, most) * BigInt(PARTS_FACTOR);
}

function boundOf({ call, deployment }: CallAccount): Usage {
  return call.kind.boundUsage(call, deployment) ?? NO_USAGE;
}

function isPossibleOutput(account: CallAccount, { outputTokens }: Usage): boolean {
  return outputTokens <= account.heldOutput || outputTokens <= mostOutput(account);
}

function isPossibleInput({ call, deployment }: CallAccount, usage: Usage): boolean {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const most = deployment.facts.maxInputTokens;
  if (most !== null) return input <= most;
  if (call.parts.isUnbounded) return input <= MAX_FREE_TOKENS;
  return input <= call.bodyBytes * TOKENS_PER_BYTE + estimateParts(call.parts, deployment) * PARTS_FACTOR + SPARE_INPUT;
}
