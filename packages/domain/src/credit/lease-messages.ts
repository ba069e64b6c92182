import type { NanoUsd } from "../money.ts";
import type { BudgetWindow } from "./budget-window.ts";

/** In exact mode, near its limit, an allowance grants no slices, and the ledger decides every hold. */
export type AllowanceMode = "slices" | "exact";

/** Source that holds draw from: an organization's credit, or one window of a budget with its limit. */
export type Allowance =
  | { readonly kind: "credit" }
  | { readonly kind: "budget"; readonly window: BudgetWindow; readonly limit: NanoUsd };

/** A node's request for one allowance. */
export interface AllowanceRequest {
  readonly allowance: Allowance;
  /** Idle credit returned with this request. */
  readonly returned: NanoUsd;
  /**
   * Idle credit requested beyond the holds; 0 if the organization is quiet on this node or the allowance is in exact
   * mode.
   */
  readonly slice: NanoUsd;
  /** The largest hold since the last request. */
  readonly largestHold: NanoUsd;
  /**
   * Number of the last recall received; all idle credit was returned with or before this request. 0 if there was no
   * recall.
   */
  readonly recallSeen: number;
}

/** A hold that the lease in memory doesn't cover. `allowances` are indexes into the request's list. */
export interface WaitingHold {
  readonly amount: NanoUsd;
  readonly allowances: readonly number[];
}

/**
 * Everything a node requests for one organization, in one message. `seq` belongs to this node's lease for the
 * organization in this epoch, and increases with each new request. A request whose answer was lost is sent again under
 * the same number.
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

/**
 * Reason for denying the first ungranted hold. `wait`: idle credit on other gateways is being recalled, and `recall` is
 * the number of that recall.
 */
export interface HoldDenial {
  readonly kind: "refused" | "wait";
  readonly allowance: number;
  readonly recall: number;
}

export interface LeaseAnswer {
  readonly organizationId: string;
  readonly seq: number;
  /**
   * `answered`: the request was applied now or, if its number is repeated, earlier. For a repeated number, `denial` is
   * null and the totals show the granted amounts. `busy`: another statement holds the row lock, so the request was not
   * applied and must be retried. `fenced`: this node's epoch or lease is not live, so the request was not applied.
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
