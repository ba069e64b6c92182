import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { OutputCounter } from "../call/output-counter.ts";
import type { ReadAnswer } from "../call/provider.ts";
import {
  choicesOf,
  estimateInput,
  estimateParts,
  estimateResults,
  requestedMaxOutput,
} from "../operations/estimate-input.ts";
import { MAX_TOOL_CALLS } from "../operations/requested-tools.ts";
import { searchTraitsOf } from "../operations/search-traits.ts";
import type { CallAccount } from "./call-account.ts";
import { heldTools } from "./call-fees.ts";
import { costOf, type ReadLimit } from "./record-usage.ts";

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
 * of a video or of a tool's results if the model's context window is unknown.
 */
const MAX_FREE_TOKENS = 10_000_000;

/**
 * Returns the usage of a call: the upstream's report, or the gateway's own count if the report is impossible. The count
 * is capped at the maximum that the model was allowed.
 */
export function usageOf(
  account: CallAccount,
  reported: Usage | null,
  answer: Pick<ReadAnswer, "text"> | null,
  output: OutputCounter | null,
): Usage {
  if (reported !== null && isPossible(account, reported)) return reported;
  const { call, deployment } = account;
  const counted = call.kind.countUsage(call, deployment, answer?.text ?? null, output?.count() ?? 0);
  // Some counted values come from the response, which is untrusted.
  if (!hasTokenLimits(account)) return boundedUsage(account, reported, counted);
  const outputTokens = Math.min(counted.outputTokens, mostOutput(account));
  if (reported === null) return { ...counted, outputTokens };
  const input = isPossibleInput(account, reported) ? reported : withMedia(account, counted);
  const answered = isPossibleOutput(account, reported) ? reported : { ...counted, outputTokens, ...toolsOf(reported) };
  return {
    ...answered,
    inputTokens: input.inputTokens,
    cacheReadTokens: input.cacheReadTokens,
    cacheWriteTokens: input.cacheWriteTokens,
    audioInputTokens: input.audioInputTokens,
    longCacheWriteTokens: input.longCacheWriteTokens,
    ...(reported.served !== undefined && { served: reported.served }),
    ...(reported.reportedCost !== undefined && { reportedCost: reported.reportedCost }),
    source: "estimated",
  };
}

/** Returns the tools that the provider reports. The gateway can't count them itself. */
function toolsOf(reported: Usage): Pick<Usage, "webSearches" | "fileSearches" | "codeSessions" | "toolCalls"> {
  const { webSearches, fileSearches, codeSessions, toolCalls } = reported;
  return { webSearches, fileSearches, codeSessions, toolCalls };
}

/**
 * Returns the count, unless it is implausible or could be less than the request contains. Then the call is charged the
 * maximum.
 */
function boundedUsage(account: CallAccount, reported: Usage | null, counted: Usage): Usage {
  const { call, deployment } = account;
  const largest = call.kind.largestUsage?.(call, deployment);
  if (largest !== undefined && reported !== null) return largest;
  return isWithinBound(account, counted) ? counted : (largest ?? boundOf(account));
}

/** Adds the input that the gateway can't count, up to the input that the hold covers. */
function withMedia({ call, deployment }: CallAccount, counted: Usage): Usage {
  const { isUnbounded, images, tokens } = call.parts;
  if (!isUnbounded && images + tokens === 0) return counted;
  const inputTokens = Math.max(counted.inputTokens, estimateInput(call, deployment));
  return { ...counted, inputTokens, source: "estimated" };
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
  const { priced } = account;
  const largest = call.kind.largestUsage?.(call, deployment);
  if (largest !== undefined) return costOf(priced, usage) <= costOf(priced, largest);
  const bound = boundOf(account);
  const most = { ...bound, inputTokens: bound.inputTokens + SPARE_AROUND_TEXT };
  return costOf(priced, usage) <= costOf(priced, most) * BigInt(PARTS_FACTOR);
}

function boundOf({ call, deployment }: CallAccount): Usage {
  return call.kind.boundUsage(call, deployment) ?? NO_USAGE;
}

function isPossibleOutput(account: CallAccount, { outputTokens, reasoningTokens }: Usage): boolean {
  if (outputTokens <= account.heldOutput) return true;
  const { reasoning } = searchTraitsOf(account.deployment).beside;
  const limited = outputTokens - Math.min(reasoningTokens, reasoning);
  return limited <= account.heldOutput || limited <= mostOutput(account);
}

function isPossibleInput({ call, deployment }: CallAccount, usage: Usage): boolean {
  // The sources that a research model reads are not part of its context window.
  const input = inputOf(usage) - searchTraitsOf(deployment).beside.cited;
  const most = deployment.facts.maxInputTokens;
  // The provider counts the prompt again for each call of its own tools, which can be more than the hold covers.
  const rounds = call.parts.tools === undefined ? 1 : 1 + MAX_TOOL_CALLS;
  if (most !== null) return input <= most * rounds;
  const results = estimateResults(call.parts, deployment);
  if (call.parts.isUnbounded || results === null) return input <= MAX_FREE_TOKENS;
  const parts = estimateParts(call.parts, deployment) * PARTS_FACTOR;
  const prompt = call.bodyBytes * TOKENS_PER_BYTE + parts + SPARE_INPUT + results;
  return input <= Math.max(prompt, Math.min(prompt * rounds, MAX_FREE_TOKENS));
}

/**
 * Returns the usage of a call whose response was not read to the end. Uses the provider's report if there is one, and
 * otherwise counts the visible text and the input. If a limit ended the read and the provider may bill for hidden
 * output, for media, or for tools that it runs, the call is charged what its hold covers. A lower charge would make
 * them free for callers who hit the limit on purpose.
 */
export function abandonedUsage(
  account: CallAccount,
  reported: Usage | null,
  output: OutputCounter | null,
  limit: ReadLimit | null,
): Usage {
  if (reported?.source === "reported" && isPossible(account, reported)) return reported;
  const counted = usageOf(account, reported, null, output);
  const { call, deployment } = account;
  // Without an output meter, the response was not streamed, so the gateway received none of its output.
  const showsOutput = output !== null && deployment.facts.billsHiddenTokens === false;
  if (limit === null) return counted;
  if (!hasTokenLimits(account)) {
    return showsOutput ? counted : { ...(call.kind.boundUsage(call, deployment) ?? NO_USAGE), source: "estimated" };
  }
  // Some providers report the input at the start of a stream.
  const hasInput = reported !== null && inputOf(reported) > 0;
  const input = hasInput ? counted : withMedia(account, counted);
  const seen = call.parts.tools === undefined ? input : { ...input, ...heldTools(call, deployment) };
  if (showsOutput) return seen;
  const { cited, reasoning } = searchTraitsOf(deployment).beside;
  const held = Math.min(account.heldOutput, mostOutput(account)) + reasoning;
  if (!Number.isFinite(held) || held <= counted.outputTokens) return seen;
  return {
    ...seen,
    inputTokens: seen.inputTokens + (hasInput ? 0 : cited),
    outputTokens: held,
    reasoningTokens: seen.reasoningTokens + reasoning,
    source: "estimated",
  };
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
