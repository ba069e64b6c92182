import type { NanoUsd } from "../money.ts";
import type { Allowance } from "./lease-messages.ts";

/** Amount of free credit required to grant a hold. */
export type AdmissionPolicy = "positive" | "nonnegative" | "strict";

/** Rule for granting holds. Under every policy, a hold exceeds the free amount by at most the overdraft. */
export interface AdmissionRule {
  readonly policy: AdmissionPolicy;
  /** Overdraft in nano-USD, 0 or more. */
  readonly overdraft: NanoUsd;
}

/** The default: grants a hold only if its full amount is free. */
export const STRICT_ADMISSION: AdmissionRule = { policy: "strict", overdraft: 0n };

/**
 * Returns the amount by which a hold may exceed the free amount. Under `strict`, the overdraft is an organization's
 * credit line, and budgets remain exact caps.
 */
export function overdraftOf({ policy, overdraft }: AdmissionRule, allowance: Allowance["kind"]): NanoUsd {
  return policy === "strict" && allowance === "budget" ? 0n : overdraft;
}

/** Returns the largest hold granted for this free amount; less than 1 if no hold is granted. */
export function largestGrant(rule: AdmissionRule, allowance: Allowance["kind"], free: NanoUsd): NanoUsd {
  if (rule.policy === "positive" && free <= 0n) return 0n;
  if (rule.policy === "nonnegative" && free < 0n) return 0n;
  return free + overdraftOf(rule, allowance);
}

/** Reports whether a hold of this amount (above 0) is granted for this free amount. */
export function admits(rule: AdmissionRule, allowance: Allowance["kind"], free: NanoUsd, amount: NanoUsd): boolean {
  return amount <= largestGrant(rule, allowance, free);
}
