import { largestGrant } from "@tollgate/domain/credit/admission.ts";
import { larger, smaller } from "@tollgate/domain/credit/amounts.ts";
import type { HeldBudget, HoldRequest } from "@tollgate/domain/credit/hold.ts";
import { type NanoUsd, PICO_PER_NANO } from "@tollgate/domain/money.ts";
import { type Price, priceCall, priceInTier } from "@tollgate/domain/pricing/price-call.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { BillingSettings } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import {
  choicesOf,
  estimateBilledInput,
  estimateInput,
  MAX_ASKED_OUTPUT,
  mostOutputOf,
  reachesModel,
  requestedMaxOutput,
} from "../operations/estimate-input.ts";
import { searchTraitsOf } from "../operations/search-traits.ts";
import type { AccountingContext } from "./accounting.ts";
import { maxFees } from "./call-fees.ts";
import { holdPriceOf } from "./record-usage.ts";

/**
 * Divisor for the available credit. A call without an output limit may use 1/40 of the credit, so that several calls
 * can run concurrently.
 */
const SHARE_OF_FREE = 40n;
const MILLIONTHS = 1_000_000n;
/** Minimum output limit that the gateway sets. OpenAI's Responses API rejects smaller limits. */
const MIN_OUTPUT_LIMIT = 16;
const NO_BUDGETS: readonly HeldBudget[] = [];

/** The funds available to a call, as known to this process. */
interface CallFunds {
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

/** Estimates the cost of a call. `held` is the call's existing hold, which counts as available for this call. */
export function estimateFor(
  accounting: AccountingContext,
  call: Call,
  target: Deployment,
  held: NanoUsd = 0n,
): CallEstimate {
  const { organizationId } = call.caller;
  const { billing } = accounting.settings();
  const known =
    organizationId === null || billing.provider === "off" ? null : accounting.holds.freeCredit(organizationId);
  const free = known === null ? null : known + held;
  const price = holdPriceOf(call, target);
  if (price === null) throw new Error("a request without a price has no estimate");
  return estimateCall(call, target, price, billing, {
    free,
    largestHold: () => largestHold(accounting, call, known, held),
  });
}

/**
 * Returns the largest hold that credit, budgets, and `billing.maxHold` would allow, as known to this process. The
 * call's existing hold counts as available, even if no further credit would be granted.
 */
function largestHold(accounting: AccountingContext, call: Call, free: NanoUsd | null, held: NanoUsd): NanoUsd {
  const { admission } = accounting.holds;
  const { caller, exchange } = call;
  let largest = accounting.settings().billing.maxHoldNanoUsd;
  if (free !== null) largest = smaller(largest, held + larger(0n, largestGrant(admission, "credit", free)));
  if (caller.organizationId === null) return largest;
  for (const { window } of caller.budgets.windowsAt(exchange.admittedAtMs)) {
    const left = accounting.holds.freeBudget(caller.organizationId, window);
    if (left !== null) largest = smaller(largest, held + larger(0n, largestGrant(admission, "budget", left)));
  }
  return largest;
}

/** Returns the hold to request; null if the call is free or if neither credit nor budgets apply. */
export function holdRequest(accounting: AccountingContext, call: Call, amount: NanoUsd): HoldRequest | null {
  const { caller, exchange } = call;
  if (caller.organizationId === null || amount === 0n) return null;
  const usesCredit = accounting.settings().billing.provider !== "off";
  // The time is read from the event ID, which is not worth it for a caller without budgets.
  const budgets = caller.budgets.budgets.length === 0 ? NO_BUDGETS : caller.budgets.windowsAt(exchange.admittedAtMs);
  if (!usesCredit && budgets.length === 0) return null;
  return { organizationId: caller.organizationId, amount, usesCredit, budgets };
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
  const maxPrice = maxPriceFor(call, deployment, price);
  const { input, output } = maxPrice;
  const inputPico = BigInt(estimateInput(call, deployment)) * input + maxBeside(call, deployment, price, maxPrice);
  const left = largestCostWithin(amount, billing) * PICO_PER_NANO - inputPico;
  if (left < 0n) return null;
  const pico = output * BigInt(choicesOf(call));
  return pico === 0n ? MAX_ASKED_OUTPUT : Math.min(MAX_ASKED_OUTPUT, Number(left / pico));
}

/** Estimates a call whose request bounds its usage. Lower usage never costs more. */
function boundBy(most: Usage, price: Price, billing: BillingSettings): CallEstimate {
  const { inputTokens, outputTokens } = most;
  const withFee = price.perRequest === null ? most : { ...most, requestFees: 1 };
  const amount = toHold(priceCall(withFee, price), billing);
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

/** Returns the maximum cost of these tokens, at the highest price of any token type, with the fees of the call. */
export function worstCost(
  call: Call,
  deployment: Deployment,
  price: Price,
  inputTokens: number,
  outputTokens: number,
): NanoUsd {
  const maxPrice = maxPriceFor(call, deployment, price);
  const tokens = BigInt(inputTokens) * maxPrice.input + BigInt(outputTokens) * maxPrice.output;
  const beside = maxBeside(call, deployment, price, maxPrice);
  return toNano(beside === 0n ? tokens : tokens + beside);
}

/** Returns the maximum cost beside the prompt and the limited output: fees, and tokens that no parameter limits. */
function maxBeside(call: Call, deployment: Deployment, price: Price, { input, output }: MaxTokenPrice): bigint {
  const fees = maxFees(call, deployment, price);
  const { cited, reasoning } = searchTraitsOf(deployment).beside;
  if (cited + reasoning === 0) return fees;
  // In a tier, reasoning without a price of its own costs as much as other output.
  const thought = price.reasoning === null ? output : most(price.reasoning, price.tier?.output ?? null);
  return fees + BigInt(cited) * input + BigInt(reasoning) * thought;
}

/** Returns the hold for additional output tokens. */
export function priceOutput(tokens: number, maxPrice: MaxTokenPrice, billing: BillingSettings): NanoUsd {
  return toHold(toNano(BigInt(tokens) * maxPrice.output), billing);
}

/** Returns the maximum price per token for this call. */
export function maxPriceFor(call: Call, deployment: Deployment, price: Price): MaxTokenPrice {
  const hasAudio = pricesAudioApart(price) && mayHaveAudio(call);
  const inputTokens = estimateBilledInput(call, deployment);
  const maxPrice = maxTokenPrice(price, inputTokens, hasAudio);
  const hasLongCache = price.longCacheWrite !== null || price.tier?.longCacheWrite != null;
  return hasLongCache && call.mayCacheLong ? withLongCache(maxPrice, price, inputTokens) : maxPrice;
}

/** Returns the maximum price if the request may cache its input for one hour. */
function withLongCache(maxPrice: MaxTokenPrice, { longCacheWrite, tier }: Price, inputTokens: number): MaxTokenPrice {
  const isInTier = tier !== null && inputTokens > tier.aboveInputTokens;
  return {
    input: most(maxPrice.input, longCacheWrite, isInTier ? (tier.longCacheWrite ?? null) : null),
    output: maxPrice.output,
  };
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

/** Maximum price per input and output token, in pico-USD. */
interface MaxTokenPrice {
  readonly input: bigint;
  readonly output: bigint;
}

interface MaxPrice {
  readonly usual: MaxTokenPrice;
  readonly withAudio: MaxTokenPrice;
}

const known = new WeakMap<Price, MaxPrice>();
const knownInTier = new WeakMap<Price, MaxPrice>();

/** Returns the maximum price per token for a call of about this size, at the highest price of any token type. */
function maxTokenPrice(price: Price, inputTokens: number, mayHaveAudio: boolean): MaxTokenPrice {
  const isInTier = price.tier !== null && inputTokens > price.tier.aboveInputTokens;
  const maxPrice = isInTier ? remembered(knownInTier, price, true) : remembered(known, price, false);
  return mayHaveAudio ? maxPrice.withAudio : maxPrice.usual;
}

/** Reports whether audio is priced separately from text. If so, the price depends on whether a call contains audio. */
function pricesAudioApart({ audioInput, audioOutput }: Price): boolean {
  return audioInput !== null || audioOutput !== null;
}

function remembered(memory: WeakMap<Price, MaxPrice>, price: Price, isInTier: boolean): MaxPrice {
  const found = memory.get(price);
  if (found !== undefined) return found;
  const { input, output, cacheRead, cacheWrite, reasoning, audioInput, audioOutput } = price;
  // The size is an upper bound, so a call that is estimated to be in this tier may turn out to be below the tier.
  const tier = isInTier && price.tier !== null ? priceInTier(price, price.tier) : price;
  const usual = {
    input: most(input, cacheRead, cacheWrite, tier.input, tier.cacheRead, tier.cacheWrite),
    output: most(output, reasoning, tier.output),
  };
  const withAudio = { input: most(usual.input, audioInput), output: most(usual.output, audioOutput) };
  const made = { usual, withAudio };
  memory.set(price, made);
  return made;
}

function most(first: bigint, ...others: readonly (bigint | null)[]): bigint {
  return others.reduce<bigint>((maxPrice, each) => (each !== null && each > maxPrice ? each : maxPrice), first);
}
