import { Failure } from "@tollgate/contracts/failures.ts";
import type { Denial, Hold, HoldWaiter } from "@tollgate/domain/credit/hold.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { estimateFor, holdRequest } from "../open-account.ts";
import type { Desk } from "./accounting.ts";
import type { CallAccount } from "./call-account.ts";
import { pricedAs } from "./priced-as.ts";
import { waitForHold } from "./wait-for-hold.ts";

/**
 * Makes sure that another deployment is paid for before it is tried: the hold is raised where that one is dearer. False
 * when it has no price or the money is not there; then it is not tried.
 */
export async function coverTarget(desk: Desk, account: CallAccount, target: Deployment): Promise<boolean> {
  const { call, hold } = account;
  const priced = pricedAs(call, target);
  if (priced.price === null) {
    if (desk.settings().billing.provider !== "off") return false;
    account.moveTo(target, null, hold);
    return true;
  }
  if (!(await isPriceKnown(desk, target, priced))) return false;
  const estimate = estimateFor(desk, call, target, hold?.amount);
  const request = holdRequest(desk, call, estimate.amount);
  if (request === null) {
    account.moveTo(target, estimate, hold);
    return true;
  }
  if (hold === null) {
    const outcome = desk.holds.take(request) ?? (await waitForHold(desk.holds, call.exchange, request));
    if ("kind" in outcome && outcome.kind !== "granted") return false;
    account.moveTo(target, estimate, "kind" in outcome ? outcome.hold : outcome);
    return true;
  }
  const missing = estimate.amount - hold.amount;
  if (missing > 0n && !(await raise(desk, hold, missing))) return false;
  account.moveTo(target, estimate, hold);
  return true;
}

async function isPriceKnown(desk: Desk, target: Deployment, priced: ReturnType<typeof pricedAs>): Promise<boolean> {
  try {
    await desk.prices.ensure(target, priced);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function raise(desk: Desk, hold: Hold, by: NanoUsd): Promise<boolean> {
  return new Promise((resolve) => {
    const waiter: HoldWaiter = {
      granted: () => resolve(true),
      denied: (_denial: Denial) => resolve(false),
    };
    if (desk.holds.extend(hold, by, waiter)) resolve(true);
  });
}
