import type { NanoUsd } from "../money.ts";
import type { BudgetWindow } from "./budget-window.ts";

/** In exact mode, near its limit, an allowance grants no slices, and the ledger decides every hold. */
export type AllowanceMode = "slices" | "exact";

/** Source that holds draw from: an organization's credit, or one window of a budget with its limit. */
export type Allowance =
  | { readonly kind: "credit" }
  | { readonly kind: "budget"; readonly window: BudgetWindow; readonly limit: NanoUsd };

/** A node's request to one allowance. */
export interface AllowanceRequest {
  readonly allowance: Allowance;
  /** Idle credit returned with this request. */
  readonly returned: NanoUsd;
  /** Idle credit requested beyond the holds; 0 if the organization is quiet here or the allowance is in exact mode. */
  readonly slice: NanoUsd;
  /** The largest hold since the last request. */
  readonly largestHold: NanoUsd;
  /**
   * Number of the last recall received; all idle credit was returned with or before this request. 0 if there was none.
   */
  readonly recallSeen: number;
}

/** A hold that the lease in memory doesn't cover. `allowances` are indexes into the request's list. */
export interface WaitingHold {
  readonly amount: NanoUsd;
  readonly allowances: readonly number[];
}

/**
 * Everything a node requests for one organization, in one message. `seq` belongs to the organization's lease of this
 * node and epoch and increases with each new request. A request whose answer was lost is sent again under the same
 * number.
 */
export interface LeaseRequest {
  readonly organizationId: string;
  readonly seq: number;
  readonly allowances: readonly AllowanceRequest[];
  /** Holds in order of arrival. The ledger grants the longest prefix that fits. */
  readonly holds: readonly WaitingHold[];
  /** Number of the recall that every live node must have answered before a hold may be refused; 0 if there is none. */
  readonly afterRecall: number;
}

/** State of one allowance after the request: totals of this node's lease, and the remaining amounts. */
export interface AllowanceState {
  readonly granted: NanoUsd;
  readonly returned: NanoUsd;
  /** Unleased amount: balance − leased, or limit − spent − leased. May be negative. */
  readonly free: NanoUsd;
  /** The balance, or the limit minus the amount spent. */
  readonly balance: NanoUsd;
  readonly mode: AllowanceMode;
  /** Number of this allowance's last recall. */
  readonly recall: number;
}

/** Reason for denying the first ungranted hold. `wait`: idle credit elsewhere is being recalled as number `recall`. */
export interface HoldDenial {
  readonly kind: "refused" | "wait";
  readonly allowance: number;
  readonly recall: number;
}

export interface LeaseAnswer {
  readonly organizationId: string;
  readonly seq: number;
  /**
   * `answered`: applied now, or earlier if the number is repeated; then `denial` is always null and the totals show
   * what was granted. `busy`: another statement has the row locked, nothing was done, retry. `fenced`: this node's
   * epoch or lease is not live, nothing was done.
   */
  readonly outcome: "answered" | "busy" | "fenced";
  /** Allowance states, in the order of the request's allowances. */
  readonly allowances: readonly AllowanceState[];
  readonly denial: HoldDenial | null;
}

/** Usage of a lease, reported periodically for display. */
export interface LeaseUse {
  readonly organizationId: string;
  readonly inUse: NanoUsd;
  readonly calls: number;
}

/** The ledger's answer to a heartbeat. */
export type HeartbeatAnswer =
  | {
      readonly kind: "alive";
      readonly liveNodes: number;
      /** Number stored before this heartbeat: one lower, unless heartbeats were lost or the database was restored. */
      readonly previousBeat: number;
    }
  /** The database doesn't have this epoch, because it was restored or another process took over. */
  | { readonly kind: "fenced" };

/** An event that the ledger has not confirmed to a closing node, with the amounts that must stay leased. */
export interface PendingEvent {
  readonly id: string;
  readonly organizationId: string;
  readonly epoch: number;
  readonly fromLease: NanoUsd;
  readonly budgets: readonly { readonly window: BudgetWindow; readonly fromLease: NanoUsd }[];
}

export type SettleOutcome = "settled" | "known" | "parked";
