import { Failure } from "@tollgate/contracts/failures.ts";
import type { Denial, Hold, HoldWaiter } from "@tollgate/domain/credit/hold.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { estimateFor, holdRequest } from "../open-account.ts";
import type { AccountingContext } from "./accounting.ts";
import type { CallAccount } from "./call-account.ts";
import { pricedAs } from "./priced-as.ts";
import { waitForHold } from "./wait-for-hold.ts";

/**
 * Raises the hold before a more expensive deployment is tried. Returns false if the deployment has no price or the
 * credit is insufficient. In both cases, the deployment must not be tried.
 */
export async function raiseHoldFor(
  accounting: AccountingContext,
  account: CallAccount,
  target: Deployment,
): Promise<boolean> {
  const { call, hold } = account;
  const priced = pricedAs(call, target);
  if (priced.price === null) {
    if (accounting.settings().billing.provider !== "off") return false;
    account.moveTo(target, null, hold);
    return true;
  }
  if (!(await isPriceKnown(accounting, target, priced))) return false;
  const estimate = estimateFor(accounting, call, target, hold?.amount);
  const request = holdRequest(accounting, call, estimate.amount);
  if (request === null) {
    account.moveTo(target, estimate, hold);
    return true;
  }
  if (hold === null) {
    const outcome = accounting.holds.take(request) ?? (await waitForHold(accounting.holds, call.exchange, request));
    if ("kind" in outcome && outcome.kind !== "granted") return false;
    account.moveTo(target, estimate, "kind" in outcome ? outcome.hold : outcome);
    return true;
  }
  const missing = estimate.amount - hold.amount;
  if (missing > 0n && !(await raise(accounting, hold, missing))) return false;
  account.moveTo(target, estimate, hold);
  return true;
}

async function isPriceKnown(
  accounting: AccountingContext,
  target: Deployment,
  priced: ReturnType<typeof pricedAs>,
): Promise<boolean> {
  try {
    await accounting.prices.ensure(target, priced);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function raise(accounting: AccountingContext, hold: Hold, by: NanoUsd): Promise<boolean> {
  return new Promise((resolve) => {
    const waiter: HoldWaiter = {
      granted: () => resolve(true),
      denied: (_denial: Denial) => resolve(false),
    };
    if (accounting.holds.extend(hold, by, waiter)) resolve(true);
  });
}
