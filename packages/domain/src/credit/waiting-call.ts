import type { NanoUsd } from "../money.ts";
import type { AllowanceLease, Hold, HoldRequest, HoldWaiter } from "./hold.ts";
import type { OrganizationLease } from "./organization-lease.ts";

/** A hold or an extension that the lease in memory did not cover. */
export interface WaitingCall {
  readonly request: HoldRequest;
  readonly amount: NanoUsd;
  readonly waiter: HoldWaiter;
  /** The open hold to raise; null for a new hold. */
  readonly extends: Hold | null;
  /** Organization lease of the current epoch. The allowances also belong to the current epoch. */
  organization: OrganizationLease;
  allowances: readonly AllowanceLease[];
  isWaiting: boolean;
  /** True if the caller stopped waiting. */
  isCancelled: boolean;
  /** The allowance whose idle credit other nodes are returning for this call. */
  recalled: AllowanceLease | null;
  /** True once the time limit for the recall has started. */
  isRecallTimed: boolean;
  cancelTimer: () => void;
}
