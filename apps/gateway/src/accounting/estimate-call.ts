import { type NanoUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { BillingSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { PartTokens } from "../../operations/operation-kind.ts";
import type { Call } from "../call.ts";
import { type MaxTokenPrice, maxTokenPrice, pricesAudioApart } from "./max-token-price.ts";

/** Practical lower bound on the bytes per token, so that the estimate errs on the high side. */
const BYTES_PER_TOKEN = 3;
/** Assumed maximum output of a model without a known limit. */
const DEFAULT_MAX_OUTPUT = 16_384;
/** Assumed context window of a model without a known one, for parts that can have any number of tokens. */
const DEFAULT_MAX_INPUT = 1_048_576;
/**
 * Divisor for the available credit. A call without an output limit may use 1/40 of the credit, so that several calls
 * can run concurrently.
 */
const SHARE_OF_FREE = 40n;
const MILLIONTHS = 1_000_000n;
/** Upper bound for any requested output limit. */
const MAX_ASKED_OUTPUT = 10_000_000;
/** Output limit parameters of chat requests. */
const CHAT_LIMITS: readonly string[] = ["max_completion_tokens", "max_tokens"];
/** Minimum output limit that the gateway sets. OpenAI's Responses API rejects smaller limits. */
const MIN_OUTPUT_LIMIT = 16;

/** The funds available to a call, as known to this process. */
export interface CallFunds {
  /** The organization's available credit; null if unknown. */
  readonly free: NanoUsd | null;
  /** Returns the largest hold that would be granted now. Called only for calls without an output limit. */
  readonly largestHold: () => NanoUsd;
}

/** The maximum cost of a call, and the limits that enforce it. */
export interface CallEstimate {
  readonly inputTokens: number;
  /** Total output tokens for all choices. */
  readonly outputTokens: number;
  /** Number of tokens by which the hold grows while the stream runs; 0 if the output is bounded from the start. */
  readonly stepTokens: number;
  /** Output limit per choice that is sent to the model; null if the request sets its own or needs none. */
  readonly outputLimit: number | null;
  readonly amount: NanoUsd;
}

/**
 * Estimates the maximum cost of a call on this deployment. If the request has no output limit, the estimate sets one
 * that the funds cover.
 */
export function estimateCall(
  call: Call,
  deployment: Deployment,
  price: Price,
  billing: BillingSettings,
  funds: CallFunds,
): CallEstimate {
  const most = call.kind.boundUsage(call, deployment);
  if (most !== null) return boundBy(most, price, billing);
  const asked = requestedMaxOutput(call, deployment);
  if (asked !== null) return bound(call, deployment, price, billing, asked, 0, null);
  const { maxOutputTokens } = deployment.facts;
  const choices = choicesOf(call);
  // If the output limit doesn't reach the model, the hold must cover the model's maximum output.
  const limitParam = call.kind.limitParams?.[0] ?? deployment.provider.outputLimitParam;
  const isReported = billing.capOutput && reachesModel(limitParam, call, deployment);
  // A stream's hold grows with its visible text. The hold must cover hidden output from the start.
  if (call.isStream && deployment.facts.billsHiddenTokens !== true) {
    const isWhole = maxOutputTokens !== null && maxOutputTokens <= billing.outputStep;
    const first = isWhole ? maxOutputTokens : billing.outputStep;
    const limit = isReported ? cutToFunds(first, call, deployment, price, billing, funds) : first;
    if (limit < first) return bound(call, deployment, price, billing, limit, 0, limit);
    return bound(call, deployment, price, billing, first, isWhole ? 0 : billing.outputStep * choices, null);
  }
  const longest = mostOutputOf(deployment);
  if (!isReported) return bound(call, deployment, price, billing, longest, 0, null);
  const { free } = funds;
  const outputPico = maxPriceFor(call, deployment, price).output * BigInt(choices);
  const share =
    free === null || outputPico === 0n ? longest : Number((free * PICO_PER_NANO) / (SHARE_OF_FREE * outputPico));
  const wanted = Math.min(longest, Math.max(share, billing.outputStep));
  const limit = cutToFunds(wanted, call, deployment, price, billing, funds);
  return bound(call, deployment, price, billing, limit, 0, limit < longest ? limit : null);
}

/**
 * Returns the requested output per choice, reduced to what the funds cover. If the funds don't cover the minimum limit,
 * the call is refused later.
 */
function cutToFunds(
  wanted: number,
  call: Call,
  deployment: Deployment,
  price: Price,
  billing: BillingSettings,
  funds: CallFunds,
): number {
  const covered = outputWithin(funds.largestHold(), call, deployment, price, billing) ?? 0;
  return Math.min(wanted, Math.max(covered, MIN_OUTPUT_LIMIT));
}

/**
 * Returns the output tokens per choice that fit into this amount along with the input; null if the input alone exceeds
 * the amount.
 */
export function outputWithin(
  amount: NanoUsd,
  call: Call,
  deployment: Deployment,
  price: Price,
  billing: BillingSettings,
): number | null {
  const { input, output } = maxPriceFor(call, deployment, price);
  const left = largestCostWithin(amount, billing) * PICO_PER_NANO - BigInt(estimateInput(call, deployment)) * input;
  if (left < 0n) return null;
  const pico = output * BigInt(choicesOf(call));
  return pico === 0n ? MAX_ASKED_OUTPUT : Math.min(MAX_ASKED_OUTPUT, Number(left / pico));
}

/** Estimates a call whose request bounds its usage. Lower usage never costs more. */
function boundBy(most: Usage, price: Price, billing: BillingSettings): CallEstimate {
  const { inputTokens, outputTokens } = most;
  const amount = toHold(priceCall(most, price), billing);
  return { inputTokens, outputTokens, stepTokens: 0, outputLimit: null, amount };
}

function bound(
  call: Call,
  deployment: Deployment,
  price: Price,
  billing: BillingSettings,
  outputPerChoice: number,
  stepTokens: number,
  outputLimit: number | null,
): CallEstimate {
  const inputTokens = estimateInput(call, deployment);
  const outputTokens = outputPerChoice * choicesOf(call);
  const amount = toHold(worstCost(call, deployment, price, inputTokens, outputTokens), billing);
  return { inputTokens, outputTokens, stepTokens, outputLimit, amount };
}

/** Returns the maximum cost of these tokens, at the highest price of any token type. */
export function worstCost(
  call: Call,
  deployment: Deployment,
  price: Price,
  inputTokens: number,
  outputTokens: number,
): NanoUsd {
  const maxPrice = maxPriceFor(call, deployment, price);
  return toNano(BigInt(inputTokens) * maxPrice.input + BigInt(outputTokens) * maxPrice.output);
}

/** Returns the hold for additional output tokens. */
export function priceOutput(tokens: number, maxPrice: MaxTokenPrice, billing: BillingSettings): NanoUsd {
  return toHold(toNano(BigInt(tokens) * maxPrice.output), billing);
}

/** Returns the maximum price per token for this call. */
export function maxPriceFor(call: Call, deployment: Deployment, price: Price): MaxTokenPrice {
  const hasAudio = pricesAudioApart(price) && mayHaveAudio(call);
  return maxTokenPrice(price, estimateInput(call, deployment), hasAudio);
}

/**
 * Returns the number of requested choices. Only operations that define `n` validate it, so it is ignored for all other
 * operations.
 */
export function choicesOf({ kind, body }: Call): number {
  return kind.fields.params.has("n") ? (body.request.n ?? 1) : 1;
}

/** Returns a model's maximum number of output tokens. */
export function mostOutputOf({ facts }: Deployment): number {
  return facts.maxOutputTokens ?? DEFAULT_MAX_OUTPUT;
}

/** Estimates the number of prompt tokens, capped at the model's input limit. */
export function estimateInput(call: Pick<Call, "bodyBytes" | "parts">, deployment: Deployment): number {
  const { maxInputTokens } = deployment.facts;
  const tokens = estimateSizedInput(call, deployment);
  return call.parts.isUnbounded ? (maxInputTokens ?? Math.max(tokens, DEFAULT_MAX_INPUT)) : tokens;
}

/**
 * Estimates the prompt tokens without the parts that can have any number of tokens. Rate limits use this estimate,
 * because a limit below the context window would otherwise never admit such parts. The actual tokens count later.
 */
export function estimateSizedInput(
  { bodyBytes, parts }: Pick<Call, "bodyBytes" | "parts">,
  deployment: Deployment,
): number {
  const tokens = Math.ceil((bodyBytes - parts.bytes) / BYTES_PER_TOKEN) + estimateParts(parts, deployment);
  return Math.min(tokens, deployment.facts.maxInputTokens ?? tokens);
}

/** Estimates the tokens of a request's images and audio. */
export function estimateParts({ tokens, images }: PartTokens, { facts }: Deployment): number {
  return images === 0 ? tokens : tokens + images * facts.maxImageTokens;
}

/** Returns the request's output limit if it reaches the model. A dropped parameter has no effect. */
export function requestedMaxOutput(call: Call, deployment: Deployment): number | null {
  const request = call.body.request as Readonly<Record<string, unknown>>;
  let asked: number | null = null;
  for (const name of call.kind.limitParams ?? CHAT_LIMITS) {
    const value = request[name];
    if (typeof value === "number" && reachesModel(name, call, deployment))
      asked = Math.max(asked ?? 0, Math.min(value, MAX_ASKED_OUTPUT));
  }
  return asked;
}

/** Reports whether a parameter is sent to the model rather than dropped. */
export function reachesModel(name: string, call: Call, deployment: Deployment): boolean {
  if (call.body.dropped.has(name) || deployment.additionalDropParams.includes(name)) return false;
  const offered = deployment.offers[call.operation];
  if (offered === undefined || offered.takesEveryParam) return true;
  const allowed = call.body.request.allowed_openai_params ?? [];
  return offered.supportedParams.has(name) || deployment.allowedParams.includes(name) || allowed.includes(name);
}

/** Reports whether the input or output may contain audio. */
function mayHaveAudio({ parts }: Call): boolean {
  return parts.isUnbounded || parts.hasAudio;
}

/** Rounds up, so that a hold may be one nano-USD too high but never too low. */
function toNano(pico: bigint): NanoUsd {
  return (pico + PICO_PER_NANO - 1n) / PICO_PER_NANO;
}

function toHold(amount: NanoUsd, { holdFactor }: BillingSettings): NanoUsd {
  return holdFactor === 1 ? amount : (amount * millionthsOf(holdFactor)) / MILLIONTHS;
}

/** Returns the largest cost whose hold is at most this amount. The result is negative if there is no such cost. */
export function largestCostWithin(amount: NanoUsd, { holdFactor }: BillingSettings): NanoUsd {
  if (holdFactor === 1 || amount < 0n) return amount;
  return ((amount + 1n) * MILLIONTHS - 1n) / millionthsOf(holdFactor);
}

function millionthsOf(holdFactor: number): bigint {
  return BigInt(Math.round(holdFactor * Number(MILLIONTHS)));
}
