import { Failure } from "@tollgate/contracts/failures.ts";
import type { CostQuote } from "@tollgate/contracts/utilities/cost-quote.ts";
import { smaller } from "@tollgate/domain/credit/amounts.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { choicesOf, mostOutputOf } from "../operations/estimate-input.ts";
import { offeredBy } from "../providers/fit-parameters.ts";
import type { AccountingContext } from "./accounting.ts";
import { withFees } from "./call-fees.ts";
import { promptTokensOf } from "./conditional-price.ts";
import { describeDenial } from "./describe-denial.ts";
import { estimateFor, holdRequest, worstCost } from "./estimate-call.ts";
import { holdPriceOf, pricedAs, pricedForInput, priceMissing } from "./record-usage.ts";
import { waitForHold } from "./wait-for-hold.ts";

/**
 * Expected output tokens per choice for a model group without history. Half of the model's maximum is used instead if
 * it is lower.
 */
const UNKNOWN_OUTPUT = 256;

/**
 * Returns the recent mean output tokens of an organization's responses from a model group; null if there are no recent
 * responses.
 */
export type MeanOutput = (organizationId: string, groupName: string) => Promise<number | null>;

/**
 * Quotes the cost of a call and reports whether it would be admitted, by the same rules as admission, without making
 * the call. If the model has several deployments, quotes the most expensive one, so that the call never costs more than
 * the quote.
 */
export async function quoteCall(accounting: AccountingContext, call: Call, meanOutput: MeanOutput): Promise<CostQuote> {
  const refusal = findRefusal(accounting, call);
  // The check returns the available credit, which may change the output limit and therefore the hold. Check the call
  // again, just as admission would retry it.
  if (refusal === null) await judge(accounting, call, findMaxPrice(accounting, call));
  const target = findMaxPrice(accounting, call);
  const reason = refusal ?? (await judge(accounting, call, target));
  const prompt = promptTokensOf(call.kind.countUsage(call, target, null, 0));
  const { price, priceVersionId } = pricedForInput(call, target, prompt);
  const { organizationId } = call.caller;
  const mean = organizationId === null ? null : await meanOutput(organizationId, call.model.name);
  return {
    model: call.model.shownName,
    model_id: target.id,
    price_version: priceVersionId,
    ...(price === null ? costNothing(call, target, mean) : costAt(accounting, call, target, price, mean)),
    admitted: reason === null,
    ...(reason !== null && { reason }),
  };
}

type Amounts = Omit<CostQuote, "model" | "model_id" | "price_version" | "admitted" | "reason">;

function costAt(
  accounting: AccountingContext,
  call: Call,
  target: Deployment,
  price: Price,
  mean: number | null,
): Amounts {
  const estimate = estimateFor(accounting, call, target);
  // The hold of a stream without a limit covers its beginning and grows with the stream.
  const rest = estimate.stepTokens === 0 ? 0 : Math.max(0, longestOf(call, target) - estimate.outputTokens);
  const longest = estimate.outputTokens + rest;
  const most = call.kind.boundUsage(call, target);
  // `holdFactor` scales the hold but not the worst case.
  const highest = holdPriceOf(call, target) ?? price;
  const worst =
    most === null
      ? worstCost(call, target, highest, estimate.inputTokens, longest)
      : priceCall(withFees(most, call, target, { price: highest }), highest);
  const usage = call.kind.countUsage(call, target, null, expectedOutput(call, longest, mean));
  const expected = priceCall(withFees(usage, call, target, { price }), price);
  return {
    input_tokens: usage.inputTokens,
    max_output_tokens: longest,
    expected_nano_usd: smaller(expected, worst),
    worst_case_nano_usd: worst,
    hold_nano_usd: holdRequest(accounting, call, estimate.amount)?.amount ?? 0n,
  };
}

function costNothing(call: Call, target: Deployment, mean: number | null): Amounts {
  const longest = call.kind.boundUsage(call, target)?.outputTokens ?? longestOf(call, target);
  const usage = call.kind.countUsage(call, target, null, expectedOutput(call, longest, mean));
  return {
    input_tokens: usage.inputTokens,
    max_output_tokens: longest,
    expected_nano_usd: 0n,
    worst_case_nano_usd: 0n,
    hold_nano_usd: 0n,
  };
}

function longestOf(call: Call, target: Deployment): number {
  return mostOutputOf(target) * choicesOf(call);
}

function expectedOutput(call: Call, longest: number, mean: number | null): number {
  const unknown = Math.min(Math.ceil(longest / 2), UNKNOWN_OUTPUT * choicesOf(call));
  return Math.min(longest, mean ?? unknown);
}

/**
 * Returns the deployment with the largest hold for this call. Throws if no deployment offers the operation, or if no
 * deployment that offers it has a price.
 */
function findMaxPrice(accounting: AccountingContext, call: Call): Deployment {
  const offering = call.model.targets.filter((deployment) => deployment.offers[call.operation] !== undefined);
  const priced = offering.filter((deployment) => pricedAs(call, deployment).price !== null);
  const [first] = priced;
  if (first === undefined) return unpriced(accounting, call, offering[0]);
  let maxPrice = first;
  let most: NanoUsd = -1n;
  for (const deployment of priced) {
    const { amount } = estimateFor(accounting, call, deployment);
    if (amount <= most) continue;
    most = amount;
    maxPrice = deployment;
  }
  return maxPrice;
}

function unpriced(accounting: AccountingContext, call: Call, deployment: Deployment | undefined): Deployment {
  if (deployment === undefined) {
    const [any] = call.model.targets;
    if (any !== undefined) offeredBy(call, any);
    throw new Failure("no_deployments_available", "No deployment of the model is available.");
  }
  if (accounting.settings().billing.provider === "off") return deployment;
  throw priceMissing(call);
}

/** Returns the code of a refusal that applies regardless of cost, or null. */
function findRefusal(accounting: AccountingContext, call: Call): string | null {
  if (call.caller.isTeamBlocked) return "TEAM_BLOCKED";
  return accounting.journal.canAdmit ? null : "accounting_unavailable";
}

/**
 * Returns the refusal code, or null if credit and budgets cover the call. Takes a hold for the check and then releases
 * it.
 */
async function judge(accounting: AccountingContext, call: Call, target: Deployment): Promise<string | null> {
  if (pricedAs(call, target).price === null) return null;
  const request = holdRequest(accounting, call, estimateFor(accounting, call, target).amount);
  if (request === null) return null;
  const hold = accounting.holds.take(request);
  if (hold !== null) {
    accounting.holds.release(hold, 0n);
    return null;
  }
  const outcome = await waitForHold(accounting.holds, call.exchange, request);
  if (outcome.kind === "granted") {
    accounting.holds.release(outcome.hold, 0n);
    return null;
  }
  const failure = describeDenial(outcome, call);
  // Without the ledger, no quote is possible.
  if (outcome.kind === "unavailable") throw failure;
  return failure.code;
}
