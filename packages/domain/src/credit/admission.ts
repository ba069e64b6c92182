import type { NanoUsd } from "../money.ts";
import type { Purse } from "./lease-messages.ts";

/** How much must be free for a hold to be granted. */
export type AdmissionPolicy = "positive" | "nonnegative" | "strict";

/** Which holds are granted. Whatever the policy, no hold exceeds what is free by more than the overdraft. */
export interface AdmissionRule {
  readonly policy: AdmissionPolicy;
  /** In nano-USD, 0 or more. */
  readonly overdraft: NanoUsd;
}

/** The default: a hold is granted when all of it is free. */
export const STRICT_ADMISSION: AdmissionRule = { policy: "strict", overdraft: 0n };

/**
 * By how much a hold may exceed what is free. Under `strict` the overdraft is a credit line of the organization, and a
 * budget stays an exact cap.
 */
export function overdraftOf({ policy, overdraft }: AdmissionRule, purse: Purse["kind"]): NanoUsd {
  return policy === "strict" && purse === "budget" ? 0n : overdraft;
}

/** The largest hold that is granted where so much is free; below 1 when none is. */
export function largestGrant(rule: AdmissionRule, purse: Purse["kind"], free: NanoUsd): NanoUsd {
  if (rule.policy === "positive" && free <= 0n) return 0n;
  if (rule.policy === "nonnegative" && free < 0n) return 0n;
  return free + overdraftOf(rule, purse);
}

/** Whether a hold of this amount, above 0, is granted where so much is free. */
export function admits(rule: AdmissionRule, purse: Purse["kind"], free: NanoUsd, amount: NanoUsd): boolean {
  return amount <= largestGrant(rule, purse, free);
}
