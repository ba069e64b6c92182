import type { NanoUsd } from "../money.ts";
import { type AdmissionRule, admits } from "./admission.ts";
import type { AllowanceLease, Denial } from "./hold.ts";
import type { HoldDenial } from "./lease-messages.ts";
import type { LeaseQuestion } from "./lease-question.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** Takes idle credit for the waiting calls that it covers, in order, and returns those calls. */
export function grantWaiting(organization: OrganizationLease): readonly WaitingCall[] {
  const served: WaitingCall[] = [];
  let isBlocked = false;
  for (const call of organization.stillWaiting()) {
    if (isBlocked && call.recalled === null) continue;
    if (call.allowances.every((allowance) => allowance.idle >= call.amount)) {
      for (const allowance of call.allowances) allowance.take(call.amount);
      served.push(call);
    } else if (call.recalled === null) {
      // Calls are served in order of arrival, but calls that wait for a recall are skipped.
      isBlocked = true;
    }
  }
  for (const call of served) organization.leave(call);
  return served;
}

/** Effect of a denial on the calls of the denied request. */
type Verdict =
  | { readonly kind: "refuse"; readonly calls: readonly WaitingCall[]; readonly allowance: AllowanceLease }
  | {
      readonly kind: "recall";
      readonly calls: readonly WaitingCall[];
      readonly allowance: AllowanceLease;
      readonly number: number;
    }
  /** The recall number belonged to another allowance, so these calls request credit again without a recall number. */
  | { readonly kind: "ask anew"; readonly calls: readonly WaitingCall[] };

/**
 * Determines which calls a denial affects: the calls that need more than the denied allowance has, including this
 * node's idle credit.
 */
export function resolveDenial(question: LeaseQuestion, denial: HoldDenial, admission: AdmissionRule): Verdict {
  const lease = question.allowances[denial.allowance];
  if (lease === undefined)
    throw new Error(`The ledger denied allowance ${denial.allowance} of ${question.allowances.length}.`);
  const calls = question.calls.filter(
    (call) =>
      call.isWaiting &&
      call.allowances.includes(lease) &&
      !admits(admission, lease.allowance.kind, available(lease), call.amount),
  );
  if (question.recalled !== null && question.recalled !== lease) return { kind: "ask anew", calls };
  if (denial.kind === "wait") return { kind: "recall", calls, allowance: lease, number: denial.recall };
  return { kind: "refuse", calls, allowance: lease };
}

/** Returns the denial to report to the caller. */
export function refusalOf(call: WaitingCall, lease: AllowanceLease): Denial {
  return {
    kind: "refused",
    allowance: lease.allowance,
    required: call.amount,
    free: available(lease),
    balance: lease.balance,
  };
}

function available(lease: AllowanceLease): NanoUsd {
  return (lease.free ?? 0n) + (lease.idle > 0n ? lease.idle : 0n);
}
