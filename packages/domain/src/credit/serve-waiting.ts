import type { NanoUsd } from "../money.ts";
import { type AdmissionRule, admits } from "./admission.ts";
import type { Denial } from "./hold.ts";
import type { HoldDenial } from "./lease-messages.ts";
import type { LeaseQuestion } from "./lease-question.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { PurseLease } from "./purse-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** The waiting calls that idle credit covers, in order; it is taken for them. */
export function grantWaiting(organization: OrganizationLease): readonly WaitingCall[] {
  const served: WaitingCall[] = [];
  let isBlocked = false;
  for (const call of organization.stillWaiting()) {
    if (isBlocked && call.recalled === null) continue;
    if (call.purses.every((purse) => purse.idle >= call.amount)) {
      for (const purse of call.purses) purse.take(call.amount);
      served.push(call);
    } else if (call.recalled === null) {
      // Those who came first are served first; who waits for a recall stands aside.
      isBlocked = true;
    }
  }
  for (const call of served) organization.leave(call);
  return served;
}

/** What a denial means for the calls of the request that it ended at. */
export type Verdict =
  | { readonly kind: "refuse"; readonly calls: readonly WaitingCall[]; readonly purse: PurseLease }
  | {
      readonly kind: "recall";
      readonly calls: readonly WaitingCall[];
      readonly purse: PurseLease;
      readonly number: number;
    }
  /** The number asked for was another purse's: these ask anew without it. */
  | { readonly kind: "ask anew"; readonly calls: readonly WaitingCall[] };

/** Whom a denial concerns: the calls of the request that need its purse for more than it has, idle credit here included. */
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

/** The refusal a caller hears. */
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
