import type { BudgetScope, BudgetWindow } from "./budget-window.ts";
import { AllowanceLease, type HeldBudget, type HoldRequest } from "./hold.ts";
import type { LeaseUse } from "./lease-messages.ts";
import type { Moment } from "./lease-question.ts";
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

const FORGET_AFTER_MS = 600_000;
const USES_PER_BEAT = 1_000;
/**
 * Maximum number of active organizations checked per heartbeat. The next heartbeat continues with the remaining
 * organizations.
 */
const LOOKS_PER_BEAT = 10_000;

/**
 * All organizations that this node serves in the current epoch. The work per heartbeat grows with the number of active
 * organizations, not with the total number.
 */
export class LeaseRegistry {
  #organizations = new Map<string, OrganizationLease>();
  /** Request numbers of evicted organizations, which may become active again. */
  #forgotten = new Map<string, number>();
  #touched: OrganizationLease[] = [];
  /** Quiet organizations, oldest first, with the time they became quiet. */
  #quiet: { readonly organization: OrganizationLease; readonly sinceMs: number }[] = [];

  get size(): number {
    return this.#organizations.size;
  }

  find(organizationId: string): OrganizationLease | undefined {
    return this.#organizations.get(organizationId);
  }

  /** Returns the organization's lease, creating it on first use. */
  open(organizationId: string, at: { readonly epoch: number; readonly outages: number }): OrganizationLease {
    const found = this.#organizations.get(organizationId);
    if (found !== undefined) return found;
    const seq = this.#forgotten.get(organizationId) ?? 0;
    this.#forgotten.delete(organizationId);
    const made = new OrganizationLease(organizationId, at.epoch, seq, at.outages);
    this.#organizations.set(organizationId, made);
    return made;
  }

  /** Marks an allowance as active, so that the next heartbeats check it. */
  touch(organization: OrganizationLease, allowance: AllowanceLease): void {
    if (!allowance.isTouched) {
      allowance.isTouched = true;
      organization.touched.push(allowance);
    }
    if (organization.isTouched) return;
    organization.isTouched = true;
    this.#touched.push(organization);
  }

  /**
   * Starts a new epoch and returns the previous leases. `wasUsed` is true if any of these leases was requested from the
   * ledger.
   */
  startEpoch(): { readonly organizations: readonly OrganizationLease[]; readonly wasUsed: boolean } {
    const organizations = [...this.#organizations.values()];
    const wasUsed = this.#forgotten.size > 0 || organizations.some(({ seq, isUnresolved }) => seq > 0 || isUnresolved);
    this.#organizations = new Map();
    this.#forgotten = new Map();
    this.#touched = [];
    this.#quiet = [];
    return { organizations, wasUsed };
  }

  all(): IterableIterator<OrganizationLease> {
    return this.#organizations.values();
  }

  /** Checks active leases on a heartbeat: moves idle credit, returns changed usage, and evicts quiet organizations. */
  maintain(
    moment: Moment,
    move: (organization: OrganizationLease, allowance: AllowanceLease) => void,
  ): readonly LeaseUse[] {
    const uses: LeaseUse[] = [];
    const stillTouched: OrganizationLease[] = [];
    for (const organization of this.#touched.splice(0, LOOKS_PER_BEAT)) {
      dropIdleAllowances(organization, moment, move);
      if (uses.length < USES_PER_BEAT) addChangedUse(organization, uses);
      if (organization.touched.length > 0 || isBusy(organization)) {
        stillTouched.push(organization);
        continue;
      }
      organization.isTouched = false;
      organization.quietSinceMs = moment.nowMs;
      this.#quiet.push({ organization, sinceMs: moment.nowMs });
    }
    for (const organization of stillTouched) this.#touched.push(organization);
    this.#forgetQuiet(moment.nowMs);
    return uses;
  }

  #forgetQuiet(nowMs: number): void {
    let passed = 0;
    for (const { organization, sinceMs } of this.#quiet) {
      if (nowMs - sinceMs < FORGET_AFTER_MS || passed === LOOKS_PER_BEAT) break;
      passed += 1;
      const isQuietSince = !organization.isTouched && organization.quietSinceMs === sinceMs;
      if (!isQuietSince || organization.openCalls > 0 || isBusy(organization)) continue;
      this.#organizations.delete(organization.id);
      if (organization.seq > 0) this.#forgotten.set(organization.id, organization.seq);
    }
    if (passed > 0) this.#quiet = this.#quiet.slice(passed);
  }
}

function dropIdleAllowances(
  organization: OrganizationLease,
  { nowMs, wallMs, liveNodes }: Moment,
  move: (organization: OrganizationLease, allowance: AllowanceLease) => void,
): void {
  organization.touched = organization.touched.filter((lease) => {
    if (lease.needsMoving(nowMs, wallMs, liveNodes)) move(organization, lease);
    if (lease.idle !== 0n || lease.isNeedy || lease.isUnresolved) return true;
    if (lease.hasEnded(wallMs) && lease.openCalls === 0 && !isBusy(organization)) {
      if (lease.allowance.kind === "budget") organization.forgetBudget(lease, lease.allowance.window);
    } else if (!lease.isQuiet(nowMs)) {
      return true;
    }
    lease.isTouched = false;
    return false;
  });
}

function addChangedUse(organization: OrganizationLease, uses: LeaseUse[]): void {
  const { inUse } = organization.credit;
  if (inUse === organization.reportedInUse && organization.openCalls === organization.reportedCalls) return;
  organization.reportedInUse = inUse;
  organization.reportedCalls = organization.openCalls;
  uses.push({ organizationId: organization.id, inUse, calls: organization.openCalls });
}

/** Reports whether the organization has a request that must be sent, is in flight, or has an unknown outcome. */
function isBusy(organization: OrganizationLease): boolean {
  return (
    organization.need !== "none" ||
    organization.isAsking ||
    organization.isUnresolved ||
    organization.stillWaiting().length > 0
  );
}
