import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { OutputMeter } from "../tokens/output-meter.ts";
import type { CallAccount } from "./call-account.ts";
import { askedOutput } from "./estimate-call.ts";

/** What a model whose longest answer is not known may have answered at most. */
const LONGEST_ANSWER = 131_072;
/** No tokenizer makes more of a byte. */
const TOKENS_PER_BYTE = 4;
/** What providers add around a request, such as the words that explain tools. */
const SPARE_INPUT = 4_096;
/** How far what a picture or a sound is worth may be off. */
const PARTS_FACTOR = 8;

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
  if (!hasTokenLimits(account)) return counted;
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
  return !hasTokenLimits(account) || (isPossibleOutput(account, usage) && isPossibleInput(account, usage));
}

/** The most tokens the answer can have: what the model was told, else its longest. */
export function mostOutput(account: CallAccount): number {
  const { call, deployment, heldOutput, openChoices } = account;
  const longest = deployment.facts.maxOutputTokens ?? LONGEST_ANSWER;
  if (call.isStream) return openChoices === 0 ? heldOutput : Math.max(heldOutput, longest * openChoices);
  const isTold = call.outputLimit !== null || askedOutput(call, deployment) !== null;
  return isTold ? heldOutput : Math.max(heldOutput, longest * (call.body.request.n ?? 1));
}

/** Only what a model writes is limited in tokens. */
function hasTokenLimits({ call }: CallAccount): boolean {
  return call.operation === "chat.completions" || call.operation === "completions";
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
