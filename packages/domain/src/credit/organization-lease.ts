import { AllowanceLease } from "./allowance-lease.ts";
import type { BudgetScope, BudgetWindow } from "./budget-window.ts";
import type { HeldBudget, HoldRequest } from "./hold.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** Urgency of an organization's next request. Refills can wait to be batched, but holds and recalls can't. */
export type Need = "none" | "later" | "now";

/** Everything that one node leases for one organization in one epoch, and the calls that wait for more. */
export class OrganizationLease {
  readonly id: string;
  readonly epoch: number;
  readonly credit: AllowanceLease;
  /** Allowances for calls without budgets. */
  readonly creditOnly: readonly AllowanceLease[];
  /** Number of the last request whose outcome is known. */
  seq: number;
  /** Waiting calls in order of arrival. Calls that stopped waiting remain until the next check. */
  waiting: WaitingCall[] = [];
  /** Number of calls that still wait and are not set aside for a recall. */
  freshCalls = 0;
  need: Need = "none";
  /** Allowances to include in the next request. */
  needy: AllowanceLease[] = [];
  /** Allowances used since a heartbeat last found them quiet. */
  touched: AllowanceLease[] = [];
  isTouched = false;
  openCalls = 0;
  /**
   * Number of the outage after which the ledger confirmed this lease. Idle credit from before a later outage isn't
   * used.
   */
  confirmedOutage: number;
  /** Number of answered heartbeats when the ledger refused this lease; null if the ledger hasn't refused it. */
  fencedAfterBeats: number | null = null;
  isUnresolved = false;
  /** True while a request of this lease is part of the statement in flight. */
  isAsking = false;
  quietSinceMs = 0;
  reportedInUse = 0n;
  reportedCalls = 0;
  readonly #isRemembered: boolean;
  readonly #budgets = new Map<string, AllowanceLease[]>();
  #forgottenUntilMs = Number.NEGATIVE_INFINITY;

  /**
   * A `seq` above 0 means that this node had a lease for the organization earlier in this epoch and evicted its usage.
   */
  constructor(id: string, epoch: number, seq: number, outage: number) {
    this.id = id;
    this.epoch = epoch;
    this.seq = seq;
    this.confirmedOutage = outage;
    this.#isRemembered = seq === 0;
    this.credit = new AllowanceLease({ kind: "credit" }, this.#isRemembered);
    this.creditOnly = [this.credit];
  }

  /** Returns the allowances of a request if each is known and covers the amount; otherwise null. */
  findCovering(request: HoldRequest): readonly AllowanceLease[] | null {
    const { amount, budgets } = request;
    if (request.usesCredit && this.credit.idle < amount) return null;
    if (budgets.length === 0) return request.usesCredit ? this.creditOnly : [];
    const allowances: AllowanceLease[] = request.usesCredit ? [this.credit] : [];
    for (const { window } of budgets) {
      const allowance = this.findBudget(window.scope, window.scopeId, window.startsAtMs);
      if (allowance === null || allowance.idle < amount) return null;
      allowances.push(allowance);
    }
    return allowances;
  }

  /** Returns the allowances of a request, creating budget allowances on first use. */
  allowancesOf(request: HoldRequest): readonly AllowanceLease[] {
    if (request.budgets.length === 0) return request.usesCredit ? this.creditOnly : [];
    const allowances = request.budgets.map((budget) => this.#budgetOf(budget));
    return request.usesCredit ? [this.credit, ...allowances] : allowances;
  }

  findBudget(scope: BudgetScope, scopeId: string, startsAtMs: number): AllowanceLease | null {
    const allowances = this.#budgets.get(scopeId);
    if (allowances === undefined) return null;
    for (const allowance of allowances) if (isWindow(allowance, scope, startsAtMs)) return allowance;
    return null;
  }

  /** Includes an allowance in the next request. */
  addNeedy(allowance: AllowanceLease): void {
    if (allowance.isNeedy) return;
    allowance.isNeedy = true;
    this.needy.push(allowance);
  }

  /** Returns the calls that still wait, in order. */
  stillWaiting(): readonly WaitingCall[] {
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((call) => call.isWaiting);
    return this.waiting;
  }

  /**
   * Sets a waiting call aside for a recall of an allowance or, if `allowance` is null, returns it to the calls that
   * request credit again.
   */
  setRecalled(call: WaitingCall, allowance: AllowanceLease | null): void {
    if ((call.recalled === null) === (allowance === null)) {
      call.recalled = allowance;
      return;
    }
    this.freshCalls += allowance === null ? 1 : -1;
    call.recalled = allowance;
  }

  /** Removes a call from the waiting calls, regardless of the outcome. */
  leave(call: WaitingCall): void {
    if (!call.isWaiting) return;
    call.isWaiting = false;
    call.cancelTimer();
    if (call.recalled === null) this.freshCalls -= 1;
    if (call.extends !== null) call.extends.extension = null;
  }

  /** Drops a budget window that has ended and is unreferenced. */
  forgetBudget(allowance: AllowanceLease, window: BudgetWindow): void {
    const allowances = (this.#budgets.get(window.scopeId) ?? []).filter((other) => other !== allowance);
    if (allowances.length === 0) this.#budgets.delete(window.scopeId);
    else this.#budgets.set(window.scopeId, allowances);
    this.#forgottenUntilMs = Math.max(this.#forgottenUntilMs, window.endsAtMs);
  }

  #budgetOf({ window, limit }: HeldBudget): AllowanceLease {
    const found = this.findBudget(window.scope, window.scopeId, window.startsAtMs);
    if (found !== null) {
      if (found.allowance.kind === "budget" && found.allowance.limit !== limit)
        found.allowance = { kind: "budget", window, limit };
      return found;
    }
    // If the clock has been set back, a call may need an evicted window.
    const isKnown = this.#isRemembered && window.endsAtMs > this.#forgottenUntilMs;
    const made = new AllowanceLease({ kind: "budget", window, limit }, isKnown);
    const allowances = this.#budgets.get(window.scopeId);
    if (allowances === undefined) this.#budgets.set(window.scopeId, [made]);
    else allowances.push(made);
    return made;
  }
}

function isWindow({ allowance }: AllowanceLease, scope: BudgetScope, startsAtMs: number): boolean {
  return allowance.kind === "budget" && allowance.window.startsAtMs === startsAtMs && allowance.window.scope === scope;
}
