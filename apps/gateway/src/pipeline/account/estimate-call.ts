import { type NanoUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { BillingSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";
import { type MaxTokenPrice, maxTokenPrice, pricesAudioApart } from "./dearest-price.ts";

/** Prompts are never fewer than three bytes a token in practice, so this errs on the side of too many. */
const BYTES_PER_TOKEN = 3;
/** What a model without a known limit is taken to answer at most. */
const DEFAULT_MAX_OUTPUT = 16_384;
/** A call without a limit of its own may use this part of what is free, so that a few can run side by side. */
const SHARE_OF_FREE = 40n;
const MILLIONTHS = 1_000_000n;
/** No model writes more at once, whatever a request allows it. */
const MAX_ASKED_OUTPUT = 10_000_000;
/** How chat calls the limit of its answers. */
const CHAT_LIMITS: readonly string[] = ["max_completion_tokens", "max_tokens"];
/** An output limit is never cut below this: OpenAI's Responses API refuses smaller ones. */
const MIN_OUTPUT_LIMIT = 16;

/** What a call may draw on, as far as is known. */
export interface CallFunds {
  /** The organization's free credit, null when that is not known. */
  readonly free: NanoUsd | null;
  /** The largest hold that would be granted now. Only asked for calls without an output limit. */
  readonly largestHold: () => NanoUsd;
}

/** What a call may cost at most, and what makes sure of it. */
export interface CallEstimate {
  readonly inputTokens: number;
  /** Of all choices together. */
  readonly outputTokens: number;
  /** The hold grows by this many tokens while the stream runs; 0 when the answer is bounded from the start. */
  readonly stepTokens: number;
  /** Sent to the model, for each choice; null when the request has a limit of its own or needs none. */
  readonly outputLimit: number | null;
  readonly amount: NanoUsd;
}

/** The worst a call can cost at this deployment. Without an output limit of its own it gets one that its funds cover. */
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
  // What the model is not told does not bound it, so then the longest answer is what must be held for.
  const limitParam = call.kind.limitParams?.[0] ?? deployment.provider.outputLimitParam;
  const isReported = billing.capOutput && reachesModel(limitParam, call, deployment);
  // The hold of a stream grows with the text that it shows. Hidden output does not show, so it is held for from the start.
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

/** So much output of each choice, or as much as the funds cover. What not even the smallest limit fits in is refused later. */
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

/** Tokens of each choice whose hold is at most this amount, besides the input; null when that alone needs more. */
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

/** The worst of a call whose request says all that it can use. What is used less costs no more. */
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

/** What so many tokens may cost, whatever kind they turn out to be. */
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

/** What so many more tokens of output may cost. */
export function priceOutput(tokens: number, maxPrice: MaxTokenPrice, billing: BillingSettings): NanoUsd {
  return toHold(toNano(BigInt(tokens) * maxPrice.output), billing);
}

/** The most a token of this call can cost at a price. */
export function maxPriceFor(call: Call, deployment: Deployment, price: Price): MaxTokenPrice {
  const hasAudio = pricesAudioApart(price) && mayHaveAudio(call);
  return maxTokenPrice(price, estimateInput(call, deployment), hasAudio);
}

/** How many answers are asked for. Only operations that know the parameter check it, and what is not checked counts nothing. */
export function choicesOf({ kind, body }: Call): number {
  return kind.fields.params.has("n") ? (body.request.n ?? 1) : 1;
}

/** The longest answer of a model. */
export function mostOutputOf({ facts }: Deployment): number {
  return facts.maxOutputTokens ?? DEFAULT_MAX_OUTPUT;
}

/** About how long the prompt is; no model takes more than it says it does. */
export function estimateInput({ bodyBytes, parts }: Pick<Call, "bodyBytes" | "parts">, deployment: Deployment): number {
  const tokens = Math.ceil((bodyBytes - parts.bytes) / BYTES_PER_TOKEN) + parts.tokens;
  const { maxInputTokens } = deployment.facts;
  return maxInputTokens === null ? tokens : Math.min(tokens, maxInputTokens);
}

/** The limit of the request, if it will reach the model: one that is left out on the way bounds nothing. */
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

/** Whether a parameter of this name is sent to the model, or left out on the way. */
export function reachesModel(name: string, call: Call, deployment: Deployment): boolean {
  if (call.body.dropped.has(name) || deployment.additionalDropParams.includes(name)) return false;
  const offered = deployment.offers[call.operation];
  if (offered === undefined || offered.takesEveryParam) return true;
  const allowed = call.body.request.allowed_openai_params ?? [];
  return offered.supportedParams.has(name) || deployment.allowedParams.includes(name) || allowed.includes(name);
}

/** Sound among what is asked or answered. A prompt that is no longer there may have had some. */
function mayHaveAudio({ prompt }: Call): boolean {
  return prompt === null || prompt.includes('"input_audio"') || prompt.includes('"audio"');
}

/** Rounded up: a hold may be a nano-USD too much, never too little. */
function toNano(pico: bigint): NanoUsd {
  return (pico + PICO_PER_NANO - 1n) / PICO_PER_NANO;
}

function toHold(amount: NanoUsd, { holdFactor }: BillingSettings): NanoUsd {
  return holdFactor === 1 ? amount : (amount * millionthsOf(holdFactor)) / MILLIONTHS;
}

/** The largest worst case whose hold is at most this amount; negative when there is none. */
export function largestCostWithin(amount: NanoUsd, { holdFactor }: BillingSettings): NanoUsd {
  if (holdFactor === 1 || amount < 0n) return amount;
  return ((amount + 1n) * MILLIONTHS - 1n) / millionthsOf(holdFactor);
}

function millionthsOf(holdFactor: number): bigint {
  return BigInt(Math.round(holdFactor * Number(MILLIONTHS)));
}
