import { Failure } from "@tollgate/contracts/failures.ts";
import { largestGrant, overdraftOf } from "@tollgate/domain/credit/admission.ts";
import { larger, smaller } from "@tollgate/domain/credit/amounts.ts";
import type { Denial, Hold, HoldRequest } from "@tollgate/domain/credit/hold.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { clientGone } from "../edge/client-gone.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { Taken } from "../rate-limits/limit.ts";
import type { Desk } from "./account/accounting.ts";
import { CallAccount } from "./account/call-account.ts";
import { coverageOf } from "./account/coverage.ts";
import { describeDenial } from "./account/describe-denial.ts";
import { type CallEstimate, estimateCall, estimateInput } from "./account/estimate-call.ts";
import { pricedAs, priceMissing } from "./account/priced-as.ts";
import { takeLimits } from "./account/take-limits.ts";
import { waitForHold } from "./account/wait-for-hold.ts";
import type { Call } from "./call.ts";

/**
 * Sets aside what the call may cost and takes its place under the rate limits, all or nothing. Nothing is sent to a
 * model before this. Answers at once when memory suffices; throws the refusal otherwise.
 */
export function openAccount(desk: Desk, call: Call, target: Deployment): CallAccount | Promise<CallAccount> {
  if (!desk.journal.canAdmit) {
    throw new Failure("accounting_unavailable", "Usage cannot be recorded, so the request was not sent.", {
      retryAfterMs: 1_000,
    });
  }
  const { billing } = desk.settings();
  const priced = pricedAs(call, target);
  if (priced.price === null) {
    if (billing.provider === "off") return admit(desk, call, target, null, null);
    throw priceMissing(call);
  }
  const known = desk.prices.ensure(target, priced);
  return known === true ? takeHold(desk, call, target) : known.then(() => takeHold(desk, call, target));
}

function takeHold(desk: Desk, call: Call, target: Deployment): CallAccount | Promise<CallAccount> {
  const { caller } = call;
  const estimate = estimateFor(desk, call, target);
  const request = holdRequest(desk, call, estimate.amount);
  if (request === null || caller.organizationId === null) return admit(desk, call, target, estimate, null);
  const hold = desk.holds.take(request);
  return hold === null ? askForHold(desk, call, target, estimate, request) : admit(desk, call, target, estimate, hold);
}

/** What is not at hand is asked for. A call that leaves its length to us is tried again with what turned out to be free. */
async function askForHold(
  desk: Desk,
  call: Call,
  target: Deployment,
  estimate: CallEstimate,
  request: HoldRequest,
): Promise<CallAccount> {
  const first = await waitForHold(desk.holds, call.exchange, request);
  if (first.kind === "granted") return admit(desk, call, target, shorten(desk, call, target, estimate), first.hold);
  if (first.kind === "unavailable" && first.reason === "ledger" && desk.settings().billing.failOpen) {
    return admit(desk, call, target, estimate, null);
  }
  const shorter = estimateFor(desk, call, target);
  if (first.kind === "unavailable" || shorter.amount >= estimate.amount) throw refusal(desk, call, target, first);
  const again = holdRequest(desk, call, shorter.amount);
  if (again === null) return admit(desk, call, target, shorter, null);
  const second = await waitForHold(desk.holds, call.exchange, again);
  if (second.kind !== "granted") throw refusal(desk, call, target, second);
  return admit(desk, call, target, shorter, second.hold);
}

/** The refusal of a call, with the output that the money would have covered. */
function refusal(desk: Desk, call: Call, target: Deployment, denial: Denial): Failure {
  const { price } = pricedAs(call, target);
  if (price === null || denial.kind === "unavailable") return describeDenial(denial, call);
  const { admission } = desk.holds;
  const amount = denial.kind === "too_large" ? denial.limit : largestGrant(admission, denial.purse.kind, denial.free);
  const coverage = coverageOf(amount, call, target, price, desk.settings().billing);
  return describeDenial(denial, call, { coverage, overdraft: overdraftOf(admission, "credit") });
}

/** The answer to a first call tells what is free: from here on it is known how long the answer may be. */
function shorten(desk: Desk, call: Call, target: Deployment, estimate: CallEstimate): CallEstimate {
  const informed = estimateFor(desk, call, target, estimate.amount);
  return informed.amount < estimate.amount ? informed : estimate;
}

/** The hold is there; what is missing is a place under the rate limits. A refusal gives the hold back. */
function admit(
  desk: Desk,
  call: Call,
  target: Deployment,
  estimate: CallEstimate | null,
  hold: Hold | null,
): CallAccount | Promise<CallAccount> {
  call.outputLimit = estimate?.outputLimit ?? null;
  const account = new CallAccount(desk, call, target, estimate, hold);
  try {
    if (call.exchange.isGone) throw clientGone();
    const taken = takeLimits(desk, call, estimate?.inputTokens ?? estimateInput(call, target));
    return taken instanceof Promise ? beginLater(account, taken) : account.begin(taken);
  } catch (error) {
    account.abandon();
    throw error;
  }
}

async function beginLater(account: CallAccount, taken: Promise<Taken>): Promise<CallAccount> {
  try {
    return account.begin(await taken);
  } catch (error) {
    account.abandon();
    throw error;
  }
}

/** `held` is what the call itself has set aside already, which is free for it. */
export function estimateFor(desk: Desk, call: Call, target: Deployment, held: NanoUsd = 0n): CallEstimate {
  const { organizationId } = call.caller;
  const { billing } = desk.settings();
  const known = organizationId === null || billing.provider === "off" ? null : desk.holds.freeCredit(organizationId);
  const free = known === null ? null : known + held;
  const { price } = pricedAs(call, target);
  if (price === null) throw new Error("a request without a price has no estimate");
  return estimateCall(call, target, price, billing, { free, largestHold: () => largestHold(desk, call, known, held) });
}

/**
 * The largest hold that credit, budgets and `billing.maxHold` would grant, as far as is known here. What the call holds
 * already stays its own, also where nothing more would be granted.
 */
function largestHold(desk: Desk, call: Call, free: NanoUsd | null, held: NanoUsd): NanoUsd {
  const { admission } = desk.holds;
  const { caller, exchange } = call;
  let largest = desk.settings().billing.maxHoldNanoUsd;
  if (free !== null) largest = smaller(largest, held + larger(0n, largestGrant(admission, "credit", free)));
  if (caller.organizationId === null) return largest;
  for (const { window } of caller.budgets.windowsAt(exchange.admittedAtMs)) {
    const left = desk.holds.freeBudget(caller.organizationId, window);
    if (left !== null) largest = smaller(largest, held + larger(0n, largestGrant(admission, "budget", left)));
  }
  return largest;
}

/** What has to be set aside, or null when the call costs nothing or nobody's money is counted. */
export function holdRequest(desk: Desk, call: Call, amount: NanoUsd): HoldRequest | null {
  const { caller, exchange } = call;
  if (caller.organizationId === null || amount === 0n) return null;
  const usesCredit = desk.settings().billing.provider !== "off";
  const budgets = caller.budgets.windowsAt(exchange.admittedAtMs);
  if (!usesCredit && budgets.length === 0) return null;
  return { organizationId: caller.organizationId, amount, usesCredit, budgets };
}
