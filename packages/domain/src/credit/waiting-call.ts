import type { NanoUsd } from "../money.ts";
import type { Hold, HoldRequest, HoldWaiter } from "./hold.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { PurseLease } from "./purse-lease.ts";

/** A hold, or the extension of one, that the lease in memory did not cover. */
export interface WaitingCall {
  readonly request: HoldRequest;
  readonly amount: NanoUsd;
  readonly waiter: HoldWaiter;
  /** The open hold it raises; null for a new one. */
  readonly extends: Hold | null;
  /** Of the present epoch, as are its purses. */
  organization: OrganizationLease;
  purses: readonly PurseLease[];
  isWaiting: boolean;
  /** Whoever waited went away. */
  isCancelled: boolean;
  /** The purse whose idle credit is being called back from other nodes for this call. */
  recalled: PurseLease | null;
  /** It has been told to wait for a recall, which it does only so long. */
  isRecallTimed: boolean;
  cancelTimer: () => void;
}
