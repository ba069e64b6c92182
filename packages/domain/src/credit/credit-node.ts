import type { NanoUsd } from "../money.ts";
import type { AdmissionRule } from "./admission.ts";
import { answerWithin } from "./answer-within.ts";
import type { BudgetWindow } from "./budget-window.ts";
import {
  type AllowanceLease,
  Hold,
  type HoldRequest,
  type HoldWaiter,
  type RecalledAllowance,
  type ReleasedHold,
} from "./hold.ts";
import type { PendingEvent } from "./lease-messages.ts";
import { LeaseStatements } from "./lease-statements.ts";
import { NodeHeartbeat } from "./node-heartbeat.ts";
import { LeaseRegistry, type OrganizationLease } from "./organization-lease.ts";
import type { Clock, CreditLedger } from "./ports.ts";
import type { WaitingCall } from "./waiting-call.ts";

/**
 * A call waits up to two seconds for the ledger. The wait is counted in turns, because a suspended process or machine
 * finds its timers due before it reads the ledger's response. One turn that takes too long doesn't use up the rest.
 */
const LEDGER_WAIT_TURN_MS = 500;
const LEDGER_WAIT_TURNS = 4;
const CLOSE_WITHIN_MS = 5_000;
const CLOSE_TRIES = 3;
const RETRY_AFTER_MS = 1_000;

interface CreditNodeOptions {
  readonly nodeId: string;
  readonly admission: AdmissionRule;
  readonly maxHold: NanoUsd;
  readonly clock: Clock;
  readonly ledger: CreditLedger;
  /** Called on each registration. Each hold contains the epoch in which it was taken. */
  readonly onEpoch: (epoch: number) => void;
  /** Called when the database was restored to an earlier state, so that journaled events are delivered again. */
  readonly onRestored: () => void;
  readonly oldestUnconfirmedAtMs: () => number | null;
  /** Returns the events of released holds that the ledger has not confirmed. Called after a new registration. */
  readonly pendingEvents: () => Promise<readonly PendingEvent[]>;
}

/** Takes holds from leased credit in memory for one gateway process, and leases more credit before it runs out. */
export class CreditNode {
  /** Rule by which the ledger grants holds to this node. */
  readonly admission: AdmissionRule;
  /** Maximum amount of a hold, including extensions. It changes when the settings are reloaded. */
  maxHold: NanoUsd;
  readonly #nodeId: string;
  readonly #clock: Clock;
  readonly #ledger: CreditLedger;
  readonly #pendingEvents: () => Promise<readonly PendingEvent[]>;
  readonly #leases = new LeaseRegistry();
  readonly #heartbeat: NodeHeartbeat;
  readonly #statements: LeaseStatements;
  #openHolds = 0;
  /** Number of open holds taken in earlier epochs of this process. */
  #openOlderHolds = 0;
  #hasOlderEpochs = false;
  #isClosingOlder = false;
  #isClosed = false;

  constructor(options: CreditNodeOptions) {
    this.admission = options.admission;
    this.maxHold = options.maxHold;
    this.#nodeId = options.nodeId;
    this.#clock = options.clock;
    this.#ledger = options.ledger;
    this.#pendingEvents = options.pendingEvents;
    this.#heartbeat = new NodeHeartbeat(options.nodeId, options.clock, options.ledger, {
      beating: () => {
        this.#closeOlderEpochs();
        return this.#leases.maintain(this.#statements.moment, (organization, allowance) =>
          this.#statements.needAllowance(organization, allowance, "later"),
        );
      },
      alive: () => this.#statements.schedule(),
      registered: (epoch) => {
        this.#enterEpoch();
        options.onEpoch(epoch);
      },
      restored: options.onRestored,
      oldestUnconfirmedAtMs: options.oldestUnconfirmedAtMs,
    });
    this.#statements = new LeaseStatements(options, this.#heartbeat, (call) => this.#grant(call));
  }

  /** Current epoch for new holds; 0 before the first registration. */
  get epoch(): number {
    return this.#heartbeat.epoch;
  }

  /** Number of live gateway processes, as of the last heartbeat. */
  get liveNodes(): number {
    return this.#heartbeat.liveNodes;
  }

  get openHolds(): number {
    return this.#openHolds;
  }

  /**
   * Registers the node, returns earlier leases except for the amounts of these events, and starts heartbeats. Retries
   * until the ledger answers.
   */
  async start(knownEpoch: number, pendingOfEarlierEpochs: readonly PendingEvent[]): Promise<void> {
    await this.#heartbeat.start(knownEpoch);
    const firstEpoch = this.#heartbeat.epoch;
    while (!this.#isClosed) {
      try {
        const asked = this.#ledger.closeLeases(this.#nodeId, firstEpoch, pendingOfEarlierEpochs);
        return await answerWithin(this.#clock, CLOSE_WITHIN_MS, asked);
      } catch {
        await new Promise<void>((resolve) => void this.#clock.after(RETRY_AFTER_MS, resolve));
      }
    }
  }

  /** Takes a hold from credit in memory, from all allowances or none; null if it must wait for the ledger. */
  take(request: HoldRequest): Hold | null {
    if (needsNoAllowance(request)) return new Hold(request, this.#heartbeat.epoch, null, NO_ALLOWANCES);
    const organization = this.#leases.find(request.organizationId);
    const nowMs = this.#clock.monotonicMs();
    if (organization === undefined || !this.#mayTakeFrom(organization, nowMs)) return null;
    if (request.amount > this.maxHold) return null;
    const allowances = organization.findCovering(request);
    if (allowances === null) return null;

    for (const allowance of allowances) {
      allowance.take(request.amount);
      allowance.see(request.amount, nowMs);
      allowance.openCalls += 1;
      if (!allowance.isTouched) this.#leases.touch(organization, allowance);
      if (allowance.idle < allowance.refillBelow) this.#statements.needAllowance(organization, allowance, "later");
    }
    organization.openCalls += 1;
    this.#openHolds += 1;
    return new Hold(request, organization.epoch, organization, allowances);
  }

  /** Requests a hold from the ledger. Calls the waiter once, unless the returned function cancels the wait first. */
  wait(request: HoldRequest, waiter: HoldWaiter): () => void {
    if (needsNoAllowance(request)) {
      return this.#clock.after(0, () => waiter.granted(new Hold(request, this.#heartbeat.epoch, null, NO_ALLOWANCES)));
    }
    const limit = this.maxHold;
    if (request.amount > limit) {
      return this.#clock.after(0, () => waiter.denied({ kind: "too_large", required: request.amount, limit }));
    }
    const organization = this.#leases.open(request.organizationId, this.#heartbeat);
    const call = this.#enqueue(request, waiter, null, organization, organization.allowancesOf(request));
    return () => {
      call.isCancelled = true;
      call.organization.leave(call);
    };
  }

  /**
   * Raises an open hold: immediately (returns true), or later through the waiter. Releasing the hold cancels the wait.
   */
  extend(hold: Hold, by: NanoUsd, waiter: HoldWaiter): boolean {
    if (!hold.isOpen || hold.extension !== null)
      throw new Error("A hold can only be extended while it is open and not already being extended.");
    const { organizationId, usesCredit, heldBudgets } = hold;
    const request: HoldRequest = { organizationId, amount: by, usesCredit, budgets: heldBudgets };
    if (needsNoAllowance(request)) {
      hold.amount += by;
      return true;
    }
    const limit = this.maxHold;
    const required = hold.amount + by;
    if (required > limit) {
      this.#clock.after(0, () => {
        if (hold.isOpen) waiter.denied({ kind: "too_large", required, limit });
      });
      return false;
    }
    const organization = hold.organization ?? this.#leases.open(organizationId, this.#heartbeat);
    const allowances = hold.organization === null ? organization.allowancesOf(request) : hold.allowances;
    if (
      this.#mayTakeFrom(organization, this.#clock.monotonicMs()) &&
      allowances.every((allowance) => allowance.idle >= by)
    ) {
      for (const allowance of allowances) {
        allowance.take(by);
        if (allowance.idle < allowance.refillBelow) this.#statements.needAllowance(organization, allowance, "later");
      }
      this.#raise(hold, by, organization, allowances);
      return true;
    }
    hold.extension = this.#enqueue(request, waiter, hold, organization, allowances);
    return false;
  }

  /** Settles a hold at its cost. The unused amount becomes idle immediately. */
  release(hold: Hold, cost: NanoUsd): ReleasedHold {
    if (!hold.isOpen) throw new Error("The hold was already released.");
    hold.end(cost);
    const { organization, amount } = hold;
    if (hold.extension !== null) {
      hold.extension.isCancelled = true;
      hold.extension.organization.leave(hold.extension);
    }
    if (organization === null) return hold;
    this.#openHolds -= 1;
    const used = cost < amount ? cost : amount;
    const isCurrent = organization.epoch === this.#heartbeat.epoch;
    if (!isCurrent) this.#openOlderHolds -= 1;
    organization.openCalls -= 1;
    for (const allowance of hold.allowances) {
      allowance.release(amount, used);
      allowance.openCalls -= 1;
      if (!isCurrent) continue;
      if (!allowance.isTouched) this.#leases.touch(organization, allowance);
      if (allowance.mode === "exact" && allowance.idle > 0n)
        this.#statements.needAllowance(organization, allowance, "now");
    }
    if (isCurrent && organization.waiting.length > 0) this.#statements.serve(organization);
    return hold;
  }

  /**
   * Returns an allowance's idle credit immediately, because another node needs it. `nodes` are the nodes that are asked;
   * null for all.
   */
  recall(organizationId: string, recalled: RecalledAllowance, number: number, nodes: readonly string[] | null): void {
    if (nodes !== null && !nodes.includes(this.#nodeId)) return;
    const organization = this.#leases.find(organizationId);
    const allowance =
      recalled.kind === "credit"
        ? organization?.credit
        : organization?.findBudget(recalled.scope, recalled.scopeId, recalled.startsAtMs);
    if (organization === undefined || allowance == null || number <= allowance.recallAsked) return;
    allowance.recallAsked = number;
    if (number > allowance.recallKnown) allowance.recallKnown = number;
    allowance.mode = "exact";
    this.#statements.needAllowance(organization, allowance, "now");
  }

  /** Retries waiting calls as soon as the organization's credit changes. */
  creditChanged(organizationId: string): void {
    const organization = this.#leases.find(organizationId);
    if (organization === undefined) return;
    this.#statements.askAgain(organization);
  }

  /** Returns this node's idle credit plus the credit unleased as of the last answer; null if unknown. */
  freeCredit(organizationId: string): NanoUsd | null {
    return this.#leases.find(organizationId)?.credit.available ?? null;
  }

  /** Returns the idle and unleased amount of one budget window; null if unknown. */
  freeBudget(organizationId: string, { scope, scopeId, startsAtMs }: BudgetWindow): NanoUsd | null {
    return this.#leases.find(organizationId)?.findBudget(scope, scopeId, startsAtMs)?.available ?? null;
  }

  /** Returns all leased credit except the amounts that these events need. Every hold must have been released. */
  async close(pending: readonly PendingEvent[]): Promise<void> {
    this.#isClosed = true;
    this.#heartbeat.stop();
    await this.#statements.stop();
    for (const organization of this.#leases.all()) {
      for (const call of organization.stillWaiting()) denyForLedger(call);
    }
    if (this.#openHolds > 0) throw new Error(`${this.#openHolds} holds are still open.`);
    if (this.#heartbeat.epoch === 0) return;
    for (let tries = 1; ; tries += 1) {
      try {
        const reported = this.#heartbeat.reportAtEnd();
        const asked = reported.then(() => this.#ledger.closeLeases(this.#nodeId, this.#heartbeat.epoch + 1, pending));
        return await answerWithin(this.#clock, CLOSE_WITHIN_MS, asked);
      } catch (error) {
        if (tries === CLOSE_TRIES) throw error;
        await new Promise<void>((resolve) => void this.#clock.after(RETRY_AFTER_MS, resolve));
      }
    }
  }

  /** Reports whether idle credit may be used now without overtaking waiting calls. */
  #mayTakeFrom(organization: OrganizationLease, nowMs: number): boolean {
    return (
      organization.freshCalls === 0 &&
      organization.epoch === this.#heartbeat.epoch &&
      organization.confirmedOutage === this.#heartbeat.outages &&
      !this.#isClosed &&
      this.#heartbeat.isUsable(nowMs)
    );
  }

  #enqueue(
    request: HoldRequest,
    waiter: HoldWaiter,
    extended: Hold | null,
    organization: OrganizationLease,
    allowances: readonly AllowanceLease[],
  ): WaitingCall {
    const call: WaitingCall = {
      request,
      amount: request.amount,
      waiter,
      extends: extended,
      organization,
      allowances,
      isWaiting: true,
      isCancelled: false,
      // A call that needs an allowance under recall waits for that same recall.
      recalled: allowances.find((allowance) => allowance.recallWait !== null) ?? null,
      isRecallTimed: false,
      cancelTimer: nothing,
    };
    // A hold from an older epoch is never raised, because its event names only one lease.
    const isPossible = !this.#isClosed && (extended === null || extended.epoch === this.#heartbeat.epoch);
    this.#limitLedgerWait(call, isPossible ? LEDGER_WAIT_TURNS : 0);
    organization.waiting.push(call);
    if (call.recalled === null) organization.freshCalls += 1;
    else this.#statements.limitRecallWait(call);
    if (!isPossible) return call;

    const nowMs = this.#clock.monotonicMs();
    for (const allowance of allowances) {
      allowance.see(request.amount, nowMs);
      if (!allowance.isTouched) this.#leases.touch(organization, allowance);
    }
    if (!this.#heartbeat.isUsable(nowMs)) this.#heartbeat.beatNow();
    if (call.recalled === null) this.#statements.need(organization, "now");
    return call;
  }

  #grant(call: WaitingCall): void {
    const { organization, allowances } = call;
    if (call.extends !== null) {
      this.#raise(call.extends, call.amount, organization, allowances);
      call.waiter.granted(call.extends);
      return;
    }
    for (const allowance of allowances) allowance.openCalls += 1;
    organization.openCalls += 1;
    this.#openHolds += 1;
    call.waiter.granted(new Hold(call.request, organization.epoch, organization, allowances));
  }

  #raise(hold: Hold, by: NanoUsd, organization: OrganizationLease, allowances: readonly AllowanceLease[]): void {
    hold.amount += by;
    if (hold.organization !== null) return;
    hold.organization = organization;
    hold.allowances = allowances;
    for (const allowance of allowances) allowance.openCalls += 1;
    organization.openCalls += 1;
    this.#openHolds += 1;
  }

  /** Drops the leases of the last epoch. Waiting calls request credit again under the new epoch. */
  #enterEpoch(): void {
    this.#statements.startEpoch();
    const { organizations, wasUsed } = this.#leases.startEpoch();
    if (wasUsed) this.#hasOlderEpochs = true;
    this.#openOlderHolds = this.#openHolds;
    for (const older of organizations) {
      for (const call of older.stillWaiting()) {
        if (call.extends !== null) {
          denyForLedger(call);
          continue;
        }
        const organization = this.#leases.open(older.id, this.#heartbeat);
        call.organization = organization;
        call.allowances = organization.allowancesOf(call.request);
        call.recalled = null;
        const nowMs = this.#clock.monotonicMs();
        for (const allowance of call.allowances) {
          allowance.see(call.amount, nowMs);
          this.#leases.touch(organization, allowance);
        }
        organization.waiting.push(call);
        organization.freshCalls += 1;
        this.#statements.need(organization, "now");
      }
    }
  }

  #limitLedgerWait(call: WaitingCall, turns: number): void {
    call.cancelTimer = this.#clock.after(turns === 0 ? 0 : LEDGER_WAIT_TURN_MS, () => {
      if (turns <= 1) denyForLedger(call);
      else this.#limitLedgerWait(call, turns - 1);
    });
  }

  /** Returns the credit leased in this process's earlier epochs, once no call from those epochs is in flight. */
  #closeOlderEpochs(): void {
    if (!this.#hasOlderEpochs || this.#openOlderHolds > 0 || this.#isClosingOlder) return;
    this.#isClosingOlder = true;
    const { epoch } = this.#heartbeat;
    this.#pendingEvents()
      .then((pending) => {
        const asked = this.#ledger.closeLeases(this.#nodeId, epoch, pending);
        return answerWithin(this.#clock, CLOSE_WITHIN_MS, asked);
      })
      .then(() => {
        if (epoch === this.#heartbeat.epoch) this.#hasOlderEpochs = false;
      })
      // The next heartbeat retries the request.
      .catch(() => {})
      .finally(() => {
        this.#isClosingOlder = false;
      });
  }
}

const NO_ALLOWANCES: readonly AllowanceLease[] = [];

function needsNoAllowance({ amount, usesCredit, budgets }: HoldRequest): boolean {
  return amount === 0n || (!usesCredit && budgets.length === 0);
}

function denyForLedger(call: WaitingCall): void {
  call.organization.leave(call);
  call.waiter.denied({ kind: "unavailable", reason: "ledger" });
}

function nothing(): void {}
