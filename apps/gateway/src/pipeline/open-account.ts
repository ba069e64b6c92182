import { Failure } from "@tollgate/contracts/failures.ts";
import { largestGrant, overdraftOf } from "@tollgate/domain/credit/admission.ts";
import type { Denial, Hold, HoldRequest } from "@tollgate/domain/credit/hold.ts";
import type { AccountingContext } from "../accounting/accounting.ts";
import { CallAccount } from "../accounting/call-account.ts";
import { coverageOf, describeDenial } from "../accounting/describe-denial.ts";
import { type CallEstimate, estimateFor, holdRequest } from "../accounting/estimate-call.ts";
import { holdPriceOf, pricedAs, priceMissing } from "../accounting/record-usage.ts";
import { waitForHold } from "../accounting/wait-for-hold.ts";
import { type Call, inStage } from "../call/call.ts";
import { clientDisconnected } from "../call/client-disconnected.ts";
import type { Deployment } from "../call/deployment.ts";
import { describeRefusal } from "../limits/describe-refusal.ts";
import { countPrompt, type RateLimitReservation, type Refusal } from "../limits/limit.ts";
import { estimateInput, estimateSizedInput } from "../operations/estimate-input.ts";

/**
 * Takes the hold and reserves the rate limits of a call, all or nothing, before any model is called. Returns
 * synchronously if local leases suffice. Throws if the call is refused.
 */
export function openAccount(
  accounting: AccountingContext,
  call: Call,
  target: Deployment,
): CallAccount | Promise<CallAccount> {
  if (!accounting.journal.canAdmit) {
    throw new Failure("accounting_unavailable", "Usage cannot be recorded, so the request was not sent.", {
      retryAfterMs: 1_000,
    });
  }
  const { billing } = accounting.settings();
  const priced = pricedAs(call, target);
  if (priced.price === null) {
    if (billing.provider === "off") return admit(accounting, call, target, null, null);
    throw priceMissing(call);
  }
  const known = accounting.prices.ensure(target, priced);
  return known === true ? takeHold(accounting, call, target) : known.then(() => takeHold(accounting, call, target));
}

function takeHold(accounting: AccountingContext, call: Call, target: Deployment): CallAccount | Promise<CallAccount> {
  const { caller } = call;
  const estimate = estimateFor(accounting, call, target);
  const request = holdRequest(accounting, call, estimate.amount);
  if (request === null || caller.organizationId === null) return admit(accounting, call, target, estimate, null);
  const hold = accounting.holds.take(request);
  return hold === null
    ? askForHold(accounting, call, target, estimate, request)
    : admit(accounting, call, target, estimate, hold);
}

/**
 * Requests a hold from the ledger. If the hold is denied and the call has no output limit, requests a smaller hold
 * once, based on the available credit in the ledger's response.
 */
async function askForHold(
  accounting: AccountingContext,
  call: Call,
  target: Deployment,
  estimate: CallEstimate,
  request: HoldRequest,
): Promise<CallAccount> {
  const first = await waitForHold(accounting.holds, call.exchange, request);
  if (first.kind === "granted")
    return admit(accounting, call, target, shorten(accounting, call, target, estimate), first.hold);
  if (first.kind === "unavailable" && first.reason === "ledger" && accounting.settings().billing.failOpen) {
    return admit(accounting, call, target, estimate, null);
  }
  const shorter = estimateFor(accounting, call, target);
  if (first.kind === "unavailable" || shorter.amount >= estimate.amount) throw refusal(accounting, call, target, first);
  const again = holdRequest(accounting, call, shorter.amount);
  if (again === null) return admit(accounting, call, target, shorter, null);
  const second = await waitForHold(accounting.holds, call.exchange, again);
  if (second.kind !== "granted") throw refusal(accounting, call, target, second);
  return admit(accounting, call, target, shorter, second.hold);
}

/** Creates the refusal for a call, with the output that the available credit would cover. */
function refusal(accounting: AccountingContext, call: Call, target: Deployment, denial: Denial): Failure {
  const price = holdPriceOf(call, target);
  if (price === null || denial.kind === "unavailable") return describeDenial(denial, call);
  const { admission } = accounting.holds;
  const amount =
    denial.kind === "too_large" ? denial.limit : largestGrant(admission, denial.allowance.kind, denial.free);
  const coverage = coverageOf(amount, call, target, price, accounting.settings().billing);
  return describeDenial(denial, call, { coverage, overdraft: overdraftOf(admission, "credit") });
}

/** Reduces the estimate if the available credit in the ledger's response requires a lower output limit. */
function shorten(accounting: AccountingContext, call: Call, target: Deployment, estimate: CallEstimate): CallEstimate {
  const informed = estimateFor(accounting, call, target, estimate.amount);
  return informed.amount < estimate.amount ? informed : estimate;
}

/** Reserves the rate limits of a call that already has a hold. Releases the hold if a rate limit refuses the call. */
function admit(
  accounting: AccountingContext,
  call: Call,
  target: Deployment,
  estimate: CallEstimate | null,
  hold: Hold | null,
): CallAccount | Promise<CallAccount> {
  inStage(call, "opened").outputLimit = estimate?.outputLimit ?? null;
  const account = new CallAccount(accounting, call, target, estimate, hold);
  try {
    if (call.exchange.isGone) throw clientDisconnected();
    const taken = reserveRateLimits(accounting, call, rateLimitedInput(call, target, estimate));
    return taken instanceof Promise ? beginLater(account, taken) : account.begin(taken);
  } catch (error) {
    account.abandon();
    throw error;
  }
}

function rateLimitedInput(call: Call, target: Deployment, estimate: CallEstimate | null): number {
  if (call.parts.isUnbounded) return estimateSizedInput(call, target);
  return estimate?.inputTokens ?? estimateInput(call, target);
}

async function beginLater(account: CallAccount, taken: Promise<RateLimitReservation>): Promise<CallAccount> {
  try {
    return account.begin(await taken);
  } catch (error) {
    account.abandon();
    throw error;
  }
}

/**
 * Reserves rate limit capacity for the call's key, team, and organization. Returns null if no limits apply. Throws if
 * the call exceeds a limit.
 */
export function reserveRateLimits(
  accounting: AccountingContext,
  call: Call,
  inputTokens: number,
): RateLimitReservation | null | Promise<RateLimitReservation> {
  const set = accounting.limits.limitsOf(call.caller);
  if (set === null) return null;
  const tokens = countPrompt(accounting.settings().general.tokenRateLimitType, inputTokens);
  const taken = accounting.limits.take(set, call.model.name, tokens);
  return taken instanceof Promise ? taken.then(accept) : accept(taken);
}

function accept(taken: RateLimitReservation | Refusal): RateLimitReservation {
  if (taken.kind === "taken") return taken;
  throw describeRefusal(taken);
}
