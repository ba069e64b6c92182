import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { OutputMeter } from "../../tokens/output-meter.ts";
import type { CallAccount } from "./call-account.ts";
import { choicesOf, requestedMaxOutput } from "./estimate-call.ts";
import { costOf, pricedAs } from "./priced-as.ts";

/** What a model whose longest answer is not known may have answered at most. */
const MAX_ANSWER = 131_072;
/** No tokenizer makes more of a byte. */
const TOKENS_PER_BYTE = 4;
/** What providers add around a request, such as the words that explain tools. */
const SPARE_INPUT = 4_096;
/** How far what a picture or a sound is worth may be off. */
const PARTS_FACTOR = 8;
/** What providers add around a text that is so short that no factor makes room for it. */
const SPARE_AROUND_TEXT = 256;
/** What is said about tokens nobody is charged for is not bounded by their price. */
const MAX_FREE_TOKENS = 10_000_000;

/**
 * What a call used: what the upstream says, unless that is impossible. Then our own count stands in its place, never more
 * than the model was allowed.
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
  // Some of what is counted stands in the answer, which a stranger wrote.
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

/** Whether a call can have used so much. */
export function isPossible(account: CallAccount, usage: Usage): boolean {
  if (!hasTokenLimits(account)) return isWithinBound(account, usage);
  return isPossibleOutput(account, usage) && isPossibleInput(account, usage);
}

/** The most tokens the answer can have: what the model was told, else its longest. */
export function mostOutput(account: CallAccount): number {
  const { call, deployment, heldOutput, openChoices } = account;
  const longest = deployment.facts.maxOutputTokens ?? MAX_ANSWER;
  if (call.isStream) return openChoices === 0 ? heldOutput : Math.max(heldOutput, longest * openChoices);
  const isReported = call.outputLimit !== null || requestedMaxOutput(call, deployment) !== null;
  return isReported ? heldOutput : Math.max(heldOutput, longest * choicesOf(call));
}

/** Only what a model writes is limited in tokens. */
export function hasTokenLimits({ call }: CallAccount): boolean {
  return call.kind.writesText === true;
}

/** Where the request bounds what can be used, in whatever is charged for: not by far more than that. */
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
  return input <= call.bodyBytes * TOKENS_PER_BYTE + call.parts.tokens * PARTS_FACTOR + SPARE_INPUT;
}
