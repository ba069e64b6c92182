import type { BudgetScope, BudgetWindow } from "./budget-window.ts";
import type { HeldBudget, HoldRequest } from "./hold.ts";
import { PurseLease } from "./purse-lease.ts";
import type { WaitingCall } from "./waiting-call.ts";

/** How soon an organization must be in a request. Refills may wait for company, holds and recalls may not. */
export type Need = "none" | "later" | "now";

/** All that one node holds of one organization in one epoch, and the calls that wait for more. */
export class OrganizationLease {
  readonly id: string;
  readonly epoch: number;
  readonly credit: PurseLease;
  /** Of calls that no budget limits. */
  readonly creditOnly: readonly PurseLease[];
  /** Number of the last request whose outcome is known. */
  seq: number;
  /** In the order they came, those that stopped waiting included until the next look. */
  waiting: WaitingCall[] = [];
  /** Of them, those that still wait and are not set aside for a recall. */
  freshCalls = 0;
  need: Need = "none";
  /** Purses with something to say in the next request. */
  needy: PurseLease[] = [];
  /** Purses used since a heartbeat last found them quiet. */
  touched: PurseLease[] = [];
  isTouched = false;
  openCalls = 0;
  /** The number of its outage after which the ledger has confirmed this lease; idle credit of an older one is not used. */
  confirmedOutage: number;
  /** How many heartbeats had been answered when the ledger refused this lease; null while it does not. */
  fencedAfterBeats: number | null = null;
  isUnresolved = false;
  /** In the statement under way. */
  isAsking = false;
  quietSinceMs = 0;
  reportedInUse = 0n;
  reportedCalls = 0;
  readonly #isRemembered: boolean;
  readonly #budgets = new Map<string, PurseLease[]>();
  #forgottenUntilMs = Number.NEGATIVE_INFINITY;

  /** `seq` above 0: this epoch asked for the organization before and forgot what its calls used. */
  constructor(id: string, epoch: number, seq: number, outage: number) {
    this.id = id;
    this.epoch = epoch;
    this.seq = seq;
    this.confirmedOutage = outage;
    this.#isRemembered = seq === 0;
    this.credit = new PurseLease({ kind: "credit" }, this.#isRemembered);
    this.creditOnly = [this.credit];
  }

  /** The purses a request draws on if each is known and covers the amount; else null. */
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

  /** The purses a request draws on; budget purses are made on first use. */
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

  /** Marks a purse as having something to say in the next request. */
  addNeedy(purse: PurseLease): void {
    if (purse.isNeedy) return;
    purse.isNeedy = true;
    this.needy.push(purse);
  }

  /** The waiting calls that still wait, in order. */
  stillWaiting(): readonly WaitingCall[] {
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((call) => call.isWaiting);
    return this.waiting;
  }

  /** Sets a waiting call aside for a recall of a purse, or (null) puts it back among those that ask anew. */
  setRecalled(call: WaitingCall, purse: PurseLease | null): void {
    if ((call.recalled === null) === (purse === null)) {
      call.recalled = purse;
      return;
    }
    this.freshCalls += purse === null ? 1 : -1;
    call.recalled = purse;
  }

  /** Ends the waiting of a call, however it ended. */
  leave(call: WaitingCall): void {
    if (!call.isWaiting) return;
    call.isWaiting = false;
    call.cancelTimer();
    if (call.recalled === null) this.freshCalls -= 1;
    if (call.extends !== null) call.extends.extension = null;
  }

  /** Drops a budget window that is over and that nothing refers to. */
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
    // A clock that went back may ask for a window that was forgotten.
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
