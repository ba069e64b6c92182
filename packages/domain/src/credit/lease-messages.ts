import type { NanoUsd } from "../money.ts";
import type { BudgetWindow } from "./budget-window.ts";

/** Near its limit a purse gives no slices: every hold is decided on its row. */
export type PurseMode = "slices" | "exact";

/** Something that holds are taken from: an organization's credit, or a window of a budget with its limit. */
export type Purse =
  | { readonly kind: "credit" }
  | { readonly kind: "budget"; readonly window: BudgetWindow; readonly limit: NanoUsd };

/** What a node asks of one purse. */
export interface PurseRequest {
  readonly purse: Purse;
  /** Idle credit given back with this request. */
  readonly returned: NanoUsd;
  /** Idle credit wanted beyond the holds; nothing while the organization is quiet here or the purse is in exact mode. */
  readonly slice: NanoUsd;
  /** The largest hold since the last request. */
  readonly largestHold: NanoUsd;
  /** Number of the last recall this node has heard of; it has given back all idle credit with or before this request. 0: none. */
  readonly recallSeen: number;
}

/** A hold that the lease in memory does not cover. `purses` are positions in the request's list. */
export interface WaitingHold {
  readonly amount: NanoUsd;
  readonly purses: readonly number[];
}

/**
 * All that a node wants of one organization, in one message. `seq` is that of the organization's lease of this node and
 * epoch, one higher with each new request; one whose answer was lost is sent again under the same number.
 */
export interface LeaseRequest {
  readonly organizationId: string;
  readonly seq: number;
  readonly purses: readonly PurseRequest[];
  /** In the order they came; granted as the longest run from the first that fits. */
  readonly holds: readonly WaitingHold[];
  /** A recall that must have been answered by every live node before a hold may be refused; 0 while none was asked for. */
  readonly afterRecall: number;
}

/** One purse after the request: totals of this node's lease, and what is left beside it. */
export interface PurseAnswer {
  readonly granted: NanoUsd;
  readonly returned: NanoUsd;
  /** What nobody has leased: balance − leased, or limit − spent − leased. May be negative. */
  readonly free: NanoUsd;
  /** The balance, or the limit less what is spent. */
  readonly balance: NanoUsd;
  readonly mode: PurseMode;
  /** Number of the last recall of this purse. */
  readonly recall: number;
}

/** Why the first hold that was not granted was not. `wait`: idle credit elsewhere is being called back under number `recall`. */
export interface HoldDenial {
  readonly kind: "refused" | "wait";
  readonly purse: number;
  readonly recall: number;
}

export interface LeaseAnswer {
  readonly organizationId: string;
  readonly seq: number;
  /**
   * `answered`: applied now, or (a repeated number) applied before: then `denial` is null whatever was asked, and the
   * totals tell what was granted. `busy`: another statement has the row, nothing was done, ask again.
   * `fenced`: this node's epoch, or its lease, is not live: nothing was done.
   */
  readonly outcome: "answered" | "busy" | "fenced";
  /** In the order of the request's purses. */
  readonly purses: readonly PurseAnswer[];
  readonly denial: HoldDenial | null;
}

/** What a node says of a lease now and then, for people to look at. */
export interface LeaseUse {
  readonly organizationId: string;
  readonly inUse: NanoUsd;
  readonly calls: number;
}

/** What a heartbeat brings back. */
export type HeartbeatAnswer =
  | {
      readonly kind: "alive";
      readonly liveNodes: number;
      /** The number the database had stored before this one: one lower, unless heartbeats were lost or the database was restored. */
      readonly previousBeat: number;
    }
  /** The database does not know this epoch: it was restored, or another process took over. */
  | { readonly kind: "fenced" };

/** An event that a closing node cannot yet see in the ledger, with what it must leave in its leases. */
export interface PendingEvent {
  readonly id: string;
  readonly organizationId: string;
  readonly epoch: number;
  readonly fromLease: NanoUsd;
  readonly budgets: readonly { readonly window: BudgetWindow; readonly fromLease: NanoUsd }[];
}

export type SettleOutcome = "settled" | "known" | "parked";
