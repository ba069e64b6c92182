import type { NanoUsd } from "../money.ts";
import type { BudgetScope, BudgetWindow } from "./budget-window.ts";
import type { Purse } from "./lease-messages.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { PurseLease } from "./purse-lease.ts";
import type { BudgetShare } from "./usage-event.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** A budget that a call counts against, in the window it is admitted in. */
export interface HeldBudget {
  readonly window: BudgetWindow;
  readonly limit: NanoUsd;
}

/** What a call wants set aside before it goes upstream: the same amount from credit and from each budget. */
export interface HoldRequest {
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly usesCredit: boolean;
  readonly budgets: readonly HeldBudget[];
}

/**
 * Why a hold was not granted. `refused`: the purse cannot cover it and no other node has idle credit of it.
 * `unavailable`: nobody could tell in time.
 */
export type Denial =
  | {
      readonly kind: "refused";
      readonly purse: Purse;
      readonly required: NanoUsd;
      /** What the purse had free, idle credit of this node included. */
      readonly free: NanoUsd;
      readonly balance: NanoUsd;
    }
  /** It is larger than any one hold may be, whatever is free. */
  | { readonly kind: "too_large"; readonly required: NanoUsd; readonly limit: NanoUsd }
  | { readonly kind: "unavailable"; readonly reason: "recall" | "ledger" };

/** Hears once how a wait ended, never from within the call that began it. */
export interface HoldWaiter {
  granted(hold: Hold): void;
  denied(denial: Denial): void;
}

/** What a released hold leaves in the books. */
export interface ReleasedHold {
  readonly fromLease: NanoUsd;
  readonly budgets: readonly BudgetShare[];
}

/** A purse as a recall notice names it. */
export type RecalledPurse =
  | { readonly kind: "credit" }
  | { readonly kind: "budget"; readonly scope: BudgetScope; readonly scopeId: string; readonly startsAtMs: number };

const NO_SHARES: readonly BudgetShare[] = [];

/** Credit set aside for one running call. It is its own receipt once it is released. */
export class Hold implements ReleasedHold {
  readonly organizationId: string;
  /** Of the lease it was taken from; its event must name the same. */
  readonly epoch: number;
  readonly usesCredit: boolean;
  readonly heldBudgets: readonly HeldBudget[];
  /** Raised by extensions. */
  amount: NanoUsd;
  fromLease: NanoUsd = 0n;
  budgets: readonly BudgetShare[] = NO_SHARES;
  isOpen = true;
  /** Null while nothing is held, which needs no lease. */
  organization: OrganizationLease | null;
  purses: readonly PurseLease[];
  extension: WaitingCall | null = null;

  constructor(
    request: HoldRequest,
    epoch: number,
    organization: OrganizationLease | null,
    purses: readonly PurseLease[],
  ) {
    this.organizationId = request.organizationId;
    this.amount = request.amount;
    this.usesCredit = request.usesCredit;
    this.heldBudgets = request.budgets;
    this.epoch = epoch;
    this.organization = organization;
    this.purses = purses;
  }

  /** Ends the hold at a cost and tells what of it came from the lease. */
  end(cost: NanoUsd): void {
    const used = cost < this.amount ? cost : this.amount;
    this.isOpen = false;
    this.fromLease = this.usesCredit ? used : 0n;
    if (this.heldBudgets.length === 0) return;
    const shares: BudgetShare[] = [];
    for (const { window } of this.heldBudgets) {
      const { scope, scopeId, startsAtMs, endsAtMs } = window;
      shares.push({ scope, scopeId, startsAtMs, endsAtMs, fromLease: used });
    }
    this.budgets = shares;
  }
}
