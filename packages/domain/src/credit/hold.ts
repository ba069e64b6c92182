import type { NanoUsd } from "../money.ts";
import { larger } from "./amounts.ts";
import type { BudgetScope, BudgetWindow } from "./budget-window.ts";
import type { Allowance, AllowanceMode, AllowanceRequest, AllowanceState } from "./lease-messages.ts";
import type { OrganizationLease } from "./organization-lease.ts";
import { SliceSize } from "./slice-size.ts";
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

/** An allowance without a new hold for this long is quiet, and its lease keeps no idle credit. */
const QUIET_AFTER_MS = 30_000;

/** State of the calls that wait until the other nodes have returned this allowance's idle credit. */
interface RecallWait {
  number: number;
  tries: number;
  isDue: boolean;
  /** True if a call has waited in vain. The next request then repeats the notification, which may have been lost. */
  isMissed: boolean;
  cancelTimer: () => void;
}

/** One node's lease of one allowance in one epoch: how much is idle, and what to request or return. */
export class AllowanceLease {
  allowance: Allowance;
  /** False after an eviction: the usage of earlier calls must be read from the ledger's totals first. */
  isKnown: boolean;
  /** Granted amount − returned amount − amount being returned by a request whose outcome is unknown. */
  held: NanoUsd = 0n;
  /** The part of `held` that is not used by open holds or charges. */
  idle: NanoUsd = 0n;
  charged: NanoUsd = 0n;
  openCalls = 0;
  mode: AllowanceMode = "slices";
  /** Value from the ledger's last answer; null before the first answer. */
  free: NanoUsd | null = null;
  balance: NanoUsd = 0n;
  /** Idle credit below this amount triggers a refill. */
  refillBelow: NanoUsd = 0n;
  /** The latest recall that this node knows, and the latest one that asked this node. */
  recallKnown = 0;
  recallAsked = 0;
  recallWait: RecallWait | null = null;
  /** True while the lease is in the corresponding list of its organization. */
  isNeedy = false;
  isTouched = false;
  /** True if a request was sent and its outcome is unknown. */
  isUnresolved = false;
  wantsTotals = false;
  trimsSurplus = false;
  readonly #size = new SliceSize();
  #target: NanoUsd = 0n;
  #returning: NanoUsd = 0n;
  #recallSent = 0;
  #recallAnswered = 0;
  #largestHold: NanoUsd = 0n;
  #largestSent: NanoUsd = 0n;
  #lastSeenMs = Number.NEGATIVE_INFINITY;
  #seenBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(allowance: Allowance, isKnown: boolean) {
    this.allowance = allowance;
    this.isKnown = isKnown;
  }

  /** Records the size of a requested hold. */
  see(amount: NanoUsd, nowMs: number): void {
    this.#seenBeforeMs = this.#lastSeenMs;
    this.#lastSeenMs = nowMs;
    if (amount > this.#largestHold) this.#largestHold = amount;
  }

  /** Reserves idle credit for a hold. The caller must check that enough credit is idle. */
  take(amount: NanoUsd): void {
    this.idle -= amount;
  }

  /** Ends a hold. The unused amount becomes idle immediately. */
  release(amount: NanoUsd, fromLease: NanoUsd): void {
    this.idle += amount - fromLease;
    this.charged += fromLease;
  }

  get inUse(): NanoUsd {
    return this.held - this.idle - this.charged;
  }

  /**
   * Amount that is idle in this lease, being returned, or unleased as of the last answer; null before the first answer.
   */
  get available(): NanoUsd | null {
    return this.free === null ? null : this.free + this.idle + this.#returning;
  }

  get owesRecall(): boolean {
    return this.recallAsked > this.#recallAnswered;
  }

  /** Reports whether all idle credit must be returned. */
  givesAllBack(nowMs: number, wallMs: number): boolean {
    return this.mode === "exact" || this.owesRecall || this.isQuiet(nowMs) || this.hasEnded(wallMs);
  }

  isQuiet(nowMs: number): boolean {
    return nowMs - this.#lastSeenMs > QUIET_AFTER_MS;
  }

  hasEnded(wallMs: number): boolean {
    return this.allowance.kind === "budget" && this.allowance.window.endsAtMs <= wallMs;
  }

  /** Called at each heartbeat. Records new spend and reports whether idle credit should be moved. */
  needsMoving(nowMs: number, wallMs: number, liveNodes: number): boolean {
    this.#observe(nowMs, liveNodes);
    if (this.givesAllBack(nowMs, wallMs)) return this.idle > 0n || this.owesRecall;
    this.trimsSurplus = this.idle > 2n * this.#target;
    this.refillBelow = this.#slices(nowMs) ? this.#target / 2n : 0n;
    return this.trimsSurplus || this.idle < this.refillBelow;
  }

  /** Reports whether this allowance needs a request, apart from waiting holds. */
  hasWork(nowMs: number, wallMs: number, liveNodes: number): boolean {
    if (this.isUnresolved || this.wantsTotals || this.owesRecall) return true;
    if (this.givesAllBack(nowMs, wallMs)) return this.idle > 0n;
    this.#observe(nowMs, liveNodes);
    return (this.trimsSurplus && this.idle > 2n * this.#target) || this.#wantedSlice(nowMs) > 0n;
  }

  /** Composes the request. Returned credit stops being idle until the outcome is known. */
  compose(nowMs: number, wallMs: number, liveNodes: number): AllowanceRequest {
    // A lost request may have been applied, so this request returns at least as much.
    const promised = this.#returning;
    this.takeBackRequest();
    this.#observe(nowMs, liveNodes);
    const all = this.givesAllBack(nowMs, wallMs);
    const surplus = all ? this.idle : this.trimsSurplus ? this.idle - this.#target : 0n;
    const returned = larger(surplus, promised);
    const slice = all || returned > 0n ? 0n : this.#wantedSlice(nowMs);

    this.idle -= returned;
    this.held -= returned;
    this.#returning = returned;
    this.#recallSent = all ? this.recallKnown : this.#recallAnswered;
    this.#largestSent = this.#largestHold;
    this.#largestHold = 0n;
    return {
      allowance: this.allowance,
      returned,
      slice,
      largestHold: this.#largestSent,
      recallSeen: this.#recallSent,
    };
  }

  /** Undoes a request that the ledger didn't apply. The returned credit becomes idle again. */
  takeBackRequest(): void {
    this.idle += this.#returning;
    this.held += this.#returning;
    this.#returning = 0n;
    this.#largestHold = larger(this.#largestHold, this.#largestSent);
    this.#largestSent = 0n;
    this.isUnresolved = false;
  }

  /**
   * Adopts the ledger's totals, regardless of which request with this number they come from. A repeated request may
   * differ from the request that was applied, so it doesn't answer a recall.
   */
  settle(answer: AllowanceState, isRepeat: boolean, nowMs: number, liveNodes: number): void {
    const used = this.held - this.idle;
    this.held = answer.granted - answer.returned;
    if (this.isKnown) {
      this.idle = this.held - used;
    } else {
      this.charged = this.held;
      this.isKnown = true;
    }
    this.#returning = 0n;
    this.#largestSent = 0n;
    this.isUnresolved = false;
    this.wantsTotals = false;
    this.trimsSurplus = false;
    this.free = answer.free;
    this.balance = answer.balance;
    this.mode = answer.mode;
    if (!isRepeat && this.#recallSent > this.#recallAnswered) this.#recallAnswered = this.#recallSent;
    // The next request that returns all idle credit also answers this recall. Outside exact mode, there is none.
    if (answer.mode === "exact" && answer.recall > this.recallKnown) this.recallKnown = answer.recall;
    this.#observe(nowMs, liveNodes);
    // A node that got less than it requested asks again when half of the granted amount is used, not immediately.
    const half = this.#target / 2n;
    this.refillBelow = !this.#slices(nowMs) ? 0n : this.idle < half ? this.idle / 2n : half;
  }

  #wantedSlice(nowMs: number): NanoUsd {
    if (!this.#slices(nowMs) || this.idle >= this.#target / 2n) return 0n;
    return this.#target - this.idle;
  }

  #slices(nowMs: number): boolean {
    return this.isKnown && this.mode === "slices" && nowMs - this.#seenBeforeMs <= QUIET_AFTER_MS;
  }

  #observe(nowMs: number, liveNodes: number): void {
    this.#size.observe(nowMs, this.charged, larger(this.#largestHold, this.#largestSent));
    this.#target = this.#size.target(this.balance, liveNodes);
  }
}
