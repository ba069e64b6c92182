import type { NanoUsd } from "../money.ts";
import type { AllowanceLease } from "./allowance-lease.ts";
import type { BudgetScope, BudgetWindow } from "./budget-window.ts";
import type { Allowance } from "./lease-messages.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import type { BudgetShare } from "./usage-event.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** A budget that a call counts against, in its admission window. */
export interface HeldBudget {
  readonly window: BudgetWindow;
  readonly limit: NanoUsd;
}

/** Amount to reserve before a call goes upstream. The same amount is taken from the credit and from each budget. */
export interface HoldRequest {
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly usesCredit: boolean;
  readonly budgets: readonly HeldBudget[];
}

/**
 * Reason for denying a hold. `refused`: the allowance can't cover the hold and no other node has idle credit.
 * `unavailable`: the outcome was not known in time.
 */
export type Denial =
  | {
      readonly kind: "refused";
      readonly allowance: Allowance;
      readonly required: NanoUsd;
      /** Free amount of the allowance, including this node's idle credit. */
      readonly free: NanoUsd;
      readonly balance: NanoUsd;
    }
  /** The amount exceeds the maximum hold, regardless of the free amount. */
  | { readonly kind: "too_large"; readonly required: NanoUsd; readonly limit: NanoUsd }
  | { readonly kind: "unavailable"; readonly reason: "recall" | "ledger" };

/** Called once with the outcome of a wait, never synchronously. */
export interface HoldWaiter {
  granted(hold: Hold): void;
  denied(denial: Denial): void;
}

/** Amounts that a released hold leaves in the ledger. */
export interface ReleasedHold {
  readonly fromLease: NanoUsd;
  readonly budgets: readonly BudgetShare[];
}

/** Identifies an allowance in a recall notification. */
export type RecalledAllowance =
  | { readonly kind: "credit" }
  | { readonly kind: "budget"; readonly scope: BudgetScope; readonly scopeId: string; readonly startsAtMs: number };

const NO_SHARES: readonly BudgetShare[] = [];

/** Credit reserved for one call in flight. After its release, it serves as the receipt. */
export class Hold implements ReleasedHold {
  readonly organizationId: string;
  /** Epoch of the lease that the hold was taken from. Its usage event must contain the same epoch. */
  readonly epoch: number;
  readonly usesCredit: boolean;
  readonly heldBudgets: readonly HeldBudget[];
  /** Reserved amount, which extensions increase. */
  amount: NanoUsd;
  fromLease: NanoUsd = 0n;
  budgets: readonly BudgetShare[] = NO_SHARES;
  isOpen = true;
  /** Null while the amount is 0, which needs no lease. */
  organization: OrganizationLease | null;
  allowances: readonly AllowanceLease[];
  extension: WaitingCall | null = null;

  constructor(
    request: HoldRequest,
    epoch: number,
    organization: OrganizationLease | null,
    allowances: readonly AllowanceLease[],
  ) {
    this.organizationId = request.organizationId;
    this.amount = request.amount;
    this.usesCredit = request.usesCredit;
    this.heldBudgets = request.budgets;
    this.epoch = epoch;
    this.organization = organization;
    this.allowances = allowances;
  }

  /** Settles the hold at its cost and computes how much came from the lease. */
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
