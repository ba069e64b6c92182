import type { NanoUsd } from "../money.ts";
import { type AdmissionRule, admits } from "./admission.ts";
import type { Denial } from "./hold.ts";
import type { HoldDenial } from "./lease-messages.ts";
import type { LeaseQuestion } from "./lease-question.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { PurseLease } from "./purse-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** Takes idle credit for the waiting calls that it covers, in order, and returns those calls. */
export function grantWaiting(organization: OrganizationLease): readonly WaitingCall[] {
  const served: WaitingCall[] = [];
  let isBlocked = false;
  for (const call of organization.stillWaiting()) {
    if (isBlocked && call.recalled === null) continue;
    if (call.purses.every((purse) => purse.idle >= call.amount)) {
      for (const purse of call.purses) purse.take(call.amount);
      served.push(call);
    } else if (call.recalled === null) {
      // Calls are served in order of arrival; calls that wait for a recall are skipped.
      isBlocked = true;
    }
  }
  for (const call of served) organization.leave(call);
  return served;
}

/** Consequence of a denial for the calls of its request. */
export type Verdict =
  | { readonly kind: "refuse"; readonly calls: readonly WaitingCall[]; readonly purse: PurseLease }
  | {
      readonly kind: "recall";
      readonly calls: readonly WaitingCall[];
      readonly purse: PurseLease;
      readonly number: number;
    }
  /** The recall number belonged to another allowance: these calls ask again without it. */
  | { readonly kind: "ask anew"; readonly calls: readonly WaitingCall[] };

/** Resolves which calls a denial affects: those that need more than its allowance has, including idle credit here. */
export function resolveDenial(question: LeaseQuestion, denial: HoldDenial, admission: AdmissionRule): Verdict {
  const purse = question.purses[denial.purse];
  if (purse === undefined) throw new Error(`The ledger denied allowance ${denial.purse} of ${question.purses.length}.`);
  const calls = question.calls.filter(
    (call) =>
      call.isWaiting &&
      call.purses.includes(purse) &&
      !admits(admission, purse.purse.kind, available(purse), call.amount),
  );
  if (question.recalled !== null && question.recalled !== purse) return { kind: "ask anew", calls };
  if (denial.kind === "wait") return { kind: "recall", calls, purse, number: denial.recall };
  return { kind: "refuse", calls, purse };
}

/** Returns the denial to report to the caller. */
export function refusalOf(call: WaitingCall, purse: PurseLease): Denial {
  return {
    kind: "refused",
    purse: purse.purse,
    required: call.amount,
    free: available(purse),
    balance: purse.balance,
  };
}

function available(purse: PurseLease): NanoUsd {
  return (purse.free ?? 0n) + (purse.idle > 0n ? purse.idle : 0n);
}
