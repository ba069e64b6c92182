import type { BudgetScope, BudgetWindow } from "./budget-window.ts";
import type { HeldBudget, HoldRequest } from "./hold.ts";
import { PurseLease } from "./purse-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** Urgency of an organization's next request. Refills may wait to be batched, holds and recalls may not. */
export type Need = "none" | "later" | "now";

/** Everything one node leases for one organization in one epoch, and the calls waiting for more. */
export class OrganizationLease {
  readonly id: string;
  readonly epoch: number;
  readonly credit: PurseLease;
  /** Allowances of calls without budgets. */
  readonly creditOnly: readonly PurseLease[];
  /** Number of the last request whose outcome is known. */
  seq: number;
  /** In order of arrival; calls that stopped waiting remain until the next check. */
  waiting: WaitingCall[] = [];
  /** Number of calls that still wait and are not set aside for a recall. */
  freshCalls = 0;
  need: Need = "none";
  /** Allowances to include in the next request. */
  needy: PurseLease[] = [];
  /** Allowances used since a heartbeat last found them quiet. */
  touched: PurseLease[] = [];
  isTouched = false;
  openCalls = 0;
  /** Number of the outage after which the ledger confirmed this lease; older idle credit is not used. */
  confirmedOutage: number;
  /** Number of answered heartbeats when the ledger refused this lease; null if it didn't. */
  fencedAfterBeats: number | null = null;
  isUnresolved = false;
  /** True while it is part of the statement in flight. */
  isAsking = false;
  quietSinceMs = 0;
  reportedInUse = 0n;
  reportedCalls = 0;
  readonly #isRemembered: boolean;
  readonly #budgets = new Map<string, PurseLease[]>();
  #forgottenUntilMs = Number.NEGATIVE_INFINITY;

  /** A `seq` above 0 means that this epoch leased for the organization before and evicted its usage. */
  constructor(id: string, epoch: number, seq: number, outage: number) {
    this.id = id;
    this.epoch = epoch;
    this.seq = seq;
    this.confirmedOutage = outage;
    this.#isRemembered = seq === 0;
    this.credit = new PurseLease({ kind: "credit" }, this.#isRemembered);
    this.creditOnly = [this.credit];
  }

  /** Returns the allowances of a request if each is known and covers the amount; otherwise null. */
  findCovering(request: HoldRequest): readonly PurseLease[] | null {
    const { amount, budgets } = request;
    if (request.usesCredit && this.credit.idle < amount) return null;
    if (budgets.length === 0) return request.usesCredit ? this.creditOnly : [];
    const purses: PurseLease[] = request.usesCredit ? [this.credit] : [];
    for (const { window } of budgets) {
      const purse = this.findBudget(window.scope, window.scopeId, window.startsAtMs);
      if (purse === null || purse.idle < amount) return null;
      purses.push(purse);
    }
    return purses;
  }

  /** Returns the allowances of a request, creating budget allowances on first use. */
  pursesOf(request: HoldRequest): readonly PurseLease[] {
    if (request.budgets.length === 0) return request.usesCredit ? this.creditOnly : [];
    const purses = request.budgets.map((budget) => this.#budgetOf(budget));
    return request.usesCredit ? [this.credit, ...purses] : purses;
  }

  findBudget(scope: BudgetScope, scopeId: string, startsAtMs: number): PurseLease | null {
    const purses = this.#budgets.get(scopeId);
    if (purses === undefined) return null;
    for (const purse of purses) if (isWindow(purse, scope, startsAtMs)) return purse;
    return null;
  }

  /** Includes an allowance in the next request. */
  addNeedy(purse: PurseLease): void {
    if (purse.isNeedy) return;
    purse.isNeedy = true;
    this.needy.push(purse);
  }

  /** Returns the calls that still wait, in order. */
  stillWaiting(): readonly WaitingCall[] {
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((call) => call.isWaiting);
    return this.waiting;
  }

  /** Sets a waiting call aside for a recall of an allowance or, with null, returns it to the calls that ask again. */
  setRecalled(call: WaitingCall, purse: PurseLease | null): void {
    if ((call.recalled === null) === (purse === null)) {
      call.recalled = purse;
      return;
    }
    this.freshCalls += purse === null ? 1 : -1;
    call.recalled = purse;
  }

  /** Removes a call from the waiting ones, regardless of the outcome. */
  leave(call: WaitingCall): void {
    if (!call.isWaiting) return;
    call.isWaiting = false;
    call.cancelTimer();
    if (call.recalled === null) this.freshCalls -= 1;
    if (call.extends !== null) call.extends.extension = null;
  }

  /** Drops a budget window that has ended and is unreferenced. */
  forgetBudget(purse: PurseLease, window: BudgetWindow): void {
    const purses = (this.#budgets.get(window.scopeId) ?? []).filter((other) => other !== purse);
    if (purses.length === 0) this.#budgets.delete(window.scopeId);
    else this.#budgets.set(window.scopeId, purses);
    this.#forgottenUntilMs = Math.max(this.#forgottenUntilMs, window.endsAtMs);
  }

  #budgetOf({ window, limit }: HeldBudget): PurseLease {
    const found = this.findBudget(window.scope, window.scopeId, window.startsAtMs);
    if (found !== null) {
      if (found.purse.kind === "budget" && found.purse.limit !== limit) found.purse = { kind: "budget", window, limit };
      return found;
    }
    // After a clock was set back, a call may need an evicted window.
    const isKnown = this.#isRemembered && window.endsAtMs > this.#forgottenUntilMs;
    const made = new PurseLease({ kind: "budget", window, limit }, isKnown);
    const purses = this.#budgets.get(window.scopeId);
    if (purses === undefined) this.#budgets.set(window.scopeId, [made]);
    else purses.push(made);
    return made;
  }
}

function isWindow(purse: PurseLease, scope: BudgetScope, startsAtMs: number): boolean {
  return (
    purse.purse.kind === "budget" && purse.purse.window.startsAtMs === startsAtMs && purse.purse.window.scope === scope
  );
}
