import type { CreditNode } from "@tollgate/domain/credit/credit-node.ts";
import type { Hold, HoldRequest, RecalledAllowance } from "@tollgate/domain/credit/hold.ts";
import type { Allowance, LeaseAnswer, LeaseRequest, SettleOutcome } from "@tollgate/domain/credit/lease-messages.ts";
import type { CreditLedger } from "@tollgate/domain/credit/ports.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { Random } from "../random.ts";
import type { Tolerance } from "./check-ledger.ts";
import { larger } from "./ledger/amounts.ts";
import type { Entry } from "./ledger/entries.ts";
import { fits, type LeaseMessage } from "./ledger/lease-credit.ts";
import { type LeaseRow, type LedgerRows, leaseKey, type WindowRow, windowKey } from "./ledger/rows.ts";
import type { Broken } from "./ledger/settle.ts";
import { type ChangeNotification, ModelLedger } from "./model-ledger.ts";
import type { Link } from "./network.ts";
import type { Plan } from "./plan.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { Witness } from "./witness.ts";

interface Notices {
  recall(organizationId: string, allowance: RecalledAllowance, number: number, nodes: readonly string[] | null): void;
  creditChanged(organizationId: string): void;
}

interface Backup {
  readonly rows: LedgerRows;
  readonly explained: ReadonlyMap<string, bigint>;
}

/** A refusal by the ledger, with the allowance's free amount after the refusal. */
interface Refusal {
  readonly atMs: number;
  readonly free: bigint;
}

/** The ledger as processes access it. In each transaction, checks the conditions that cannot be checked later. */
export class WatchedLedger implements Tolerance {
  isDown = false;
  /** Number of transactions, used to check each state only once. */
  version = 0;
  readonly largestHold: bigint;
  readonly #model: ModelLedger;
  readonly #plan: Plan;
  readonly #now: () => number;
  readonly #random: Random;
  readonly #witness: Witness;
  readonly #backups = new Map<number, Backup>();
  readonly #refusals = new Map<string, Refusal[]>();
  /** Highest recall that a node claimed to have answered, by node and allowance. */
  readonly #recallsClaimed = new Map<string, number>();
  #explained = new Map<string, bigint>();
  #hasRestored = false;

  constructor(plan: Plan, now: () => number, random: Random, witness: Witness, broken: Broken, notices: Notices) {
    this.#plan = plan;
    this.#now = now;
    this.#random = random;
    this.#witness = witness;
    this.#model = new ModelLedger(now, (notice) => send(notice, notices), broken);
    const holds = plan.steps.map((step) => (step.kind === "call" ? larger(step.hold, step.extendBy) : 0n));
    this.largestHold = holds.reduce(larger, 0n);
  }

  get rows(): LedgerRows {
    return this.#model.rows;
  }

  explainedOf(allowance: string): bigint {
    return this.#explained.get(allowance) ?? 0n;
  }

  addOrganization(id: string, teamId: string, balance: bigint): void {
    this.#model.addOrganization(id, [teamId]);
    if (balance > 0n)
      this.postEntry({ kind: "purchase", organizationId: id, amount: balance, idempotencyKey: `first ${id}` });
  }

  /** Returns the ledger's port for one process. */
  portFor(process: SimulatedProcess, link: Link, nodeOf: () => { readonly credit: CreditNode }): CreditLedger {
    const ask = <Answer>(work: () => Answer): Promise<Answer> => link.ask(process, () => this.#transact(work));
    return {
      registerNode: (nodeId, knownEpoch) => ask(() => this.#model.registerNode(nodeId, knownEpoch)),
      heartbeat: ({ nodeId, epoch, beat }) => ask(() => this.#model.heartbeat(nodeId, epoch, beat)),
      lease: (nodeId, epoch, admission, requests) => {
        for (const request of requests) this.#checkRecallIsKept(nodeId, request, nodeOf().credit);
        return ask(() => this.#lease({ nodeId, epoch, admission, requests }));
      },
      closeLeases: (nodeId, beforeEpoch, pending) => ask(() => this.#model.closeLeases(nodeId, beforeEpoch, pending)),
    };
  }

  settle(events: readonly UsageEvent[]): Map<string, SettleOutcome> {
    return this.#transact(() => {
      const before = this.#freeOfWindows();
      const outcomes = this.#model.settle(events);
      for (const [id, outcome] of outcomes) if (outcome === "settled") this.#explain(id);
      this.#explainWindows(
        before,
        [...outcomes].flatMap(([id, outcome]) => (outcome === "settled" ? [id] : [])),
      );
      return outcomes;
    });
  }

  known(ids: readonly string[]): Set<string> {
    return this.#transact(() => this.#model.known(ids));
  }

  postEntry(entry: Entry): void {
    this.version += 1;
    this.#model.postEntry(entry);
    const isDebit = entry.kind === "refund" || entry.kind === "dispute" || entry.amount < 0n;
    if (isDebit) this.#addExplained(entry.organizationId, entry.amount < 0n ? -entry.amount : entry.amount);
  }

  maintain(reclaimAfterMs: number): void {
    if (this.isDown) return;
    this.version += 1;
    this.#model.lapse();
    this.#model.reclaim(reclaimAfterMs);
  }

  backUp(name: number): void {
    this.#backups.set(name, { rows: this.#model.backUp(), explained: new Map(this.#explained) });
  }

  restore(name: number): void {
    const backup = this.#backups.get(name);
    if (backup === undefined) return;
    this.version += 1;
    this.#model.restore(backup.rows);
    this.#explained = new Map(backup.explained);
    this.#hasRestored = true;
  }

  /** Registers a node because of a late message that was presumed lost. */
  fence(nodeId: string): void {
    const epoch = this.rows.nodes.get(nodeId)?.epoch;
    if (epoch === undefined || this.isDown) return;
    this.version += 1;
    this.#model.registerNode(nodeId, epoch);
  }

  /** Checks that a hold comes from a lease that is active in the ledger. */
  checkHold(nodeId: string, { organizationId, epoch, amount }: Hold): void {
    if (amount === 0n || this.#hasRestored) return;
    const state = this.rows.organizations.get(organizationId)?.leases.get(leaseKey(nodeId, epoch))?.state;
    if (state !== "active")
      this.#witness.complain(`${nodeId} took a hold of ${organizationId} from a lease that is ${state}`);
  }

  /** Returns leases that should have been closed: no process needs them, and their node's journal was not lost. */
  findUnclosed(lostNodes: ReadonlySet<string>, epochs: ReadonlyMap<string, number>): string[] {
    const unclosed: string[] = [];
    if (this.#hasRestored) return unclosed;
    for (const organization of this.rows.organizations.values()) {
      for (const [key, { nodeId, epoch, state }] of organization.leases) {
        const isOver = state === "closed" || state === "reclaimed";
        if (isOver || lostNodes.has(nodeId) || epochs.get(nodeId) === epoch) continue;
        unclosed.push(`the lease ${organization.id}/${key} is ${state}, but no process needs it`);
      }
    }
    return unclosed;
  }

  /** Checks a refusal: since the call arrived, the ledger must have refused that amount for that allowance. */
  checkRefusal(request: HoldRequest, allowance: Allowance, sinceMs: number): void {
    const key = allowanceKey(request.organizationId, allowance);
    const isRight = (this.#refusals.get(key) ?? []).some(
      (refusal) => refusal.atMs >= sinceMs && !fits(allowance.kind, refusal.free, request.amount, this.#plan.admission),
    );
    if (!isRight) this.#witness.complain(`${request.amount} were refused from ${key} without a reason`);
  }

  #transact<Answer>(work: () => Answer): Answer {
    if (this.isDown) throw new Error("the database is down");
    this.version += 1;
    return work();
  }

  #lease(message: LeaseMessage): LeaseAnswer[] {
    const isBusy = message.requests.map(() => this.#random.chance(this.#plan.busyChance));
    const requests = message.requests.filter((_, index) => !isBusy[index]);
    const limits = this.#limitsOfWindows();
    const answers = this.#model.lease({ ...message, requests });
    this.#explainLimits(limits);
    for (const [index, answer] of answers.entries()) this.#noteRefusal(requests[index] as LeaseRequest, answer);
    let next = 0;
    return message.requests.map(({ organizationId, seq }, index): LeaseAnswer => {
      if (isBusy[index]) return { organizationId, seq, outcome: "busy", allowances: [], denial: null };
      next += 1;
      return answers[next - 1] as LeaseAnswer;
    });
  }

  #noteRefusal(request: LeaseRequest, { denial, allowances }: LeaseAnswer): void {
    if (denial?.kind !== "refused") return;
    const asked = request.allowances[denial.allowance]?.allowance;
    const free = allowances[denial.allowance]?.free;
    if (asked === undefined || free === undefined) throw new Error("a denial names an allowance of its request");
    const key = allowanceKey(request.organizationId, asked);
    this.#refusals.set(key, [...(this.#refusals.get(key) ?? []), { atMs: this.#now(), free }]);
  }

  /**
   * Checks that a node that answers a recall has no idle amount left in that allowance. Otherwise, holds on other nodes
   * would be wrongly refused.
   */
  #checkRecallIsKept(nodeId: string, request: LeaseRequest, credit: CreditNode): void {
    for (const { allowance, recallSeen } of request.allowances) {
      const key = allowanceKey(request.organizationId, allowance);
      const claim = `${nodeId} ${key}`;
      if (recallSeen <= (this.#recallsClaimed.get(claim) ?? 0)) continue;
      this.#recallsClaimed.set(claim, recallSeen);
      const budgets = allowance.kind === "credit" ? [] : [{ window: allowance.window, limit: allowance.limit }];
      const usesCredit = allowance.kind === "credit";
      const hold = credit.take({ organizationId: request.organizationId, amount: 1n, usesCredit, budgets });
      if (hold !== null) this.#witness.complain(`${nodeId} said it gave back ${key} and kept some`);
    }
  }

  /** Checks that the part of an event's cost beyond its lease has one of the few valid reasons. */
  #explain(id: string): void {
    const row = this.rows.events.get(id);
    if (row === undefined || row.event.organizationId === null) return;
    const { event, applied } = row;
    const { organizationId } = row.event;
    const uncovered = event.cost - applied;
    if (uncovered === 0n) return;
    this.#addExplained(organizationId, uncovered);
    const beyondHold = event.cost > event.hold ? event.cost - event.hold : 0n;
    if (uncovered === beyondHold || this.#leaseOf(event)?.state === "reclaimed" || this.#hasRestored) return;
    this.#witness.complain(
      `event ${id} cost ${event.cost} of a hold of ${event.hold}, and its lease had ${applied} for it`,
    );
  }

  /** Checks that an amount settled beyond a window's leases has one of the few valid reasons. */
  #explainWindows(before: ReadonlyMap<string, bigint>, settledIds: readonly string[]): void {
    const settled = settledIds.flatMap((id) => this.rows.events.get(id)?.event ?? []);
    const isExcused = this.#hasRestored || settled.some((event) => this.#leaseOf(event)?.state === "reclaimed");
    for (const [key, free] of this.#freeOfWindows()) {
      const taken = (before.get(key) ?? free) - free;
      this.#addExplained(key, taken);
      const beyondLeases = settled.reduce((sum, event) => sum + beyondLeaseOf(event, key), 0n);
      if (taken !== beyondLeases && !isExcused) {
        this.#witness.complain(`${key} lost ${taken} when events were settled that had left ${beyondLeases} uncovered`);
      }
    }
  }

  #leaseOf(event: UsageEvent): LeaseRow | undefined {
    const organization = this.rows.organizations.get(event.organizationId ?? "");
    return organization?.leases.get(leaseKey(event.nodeId, event.epoch));
  }

  /**
   * Records lowered limits, and spend before a window had a row, as valid reasons for a window to be below its bound.
   */
  #explainLimits(before: ReadonlyMap<string, bigint>): void {
    const spent = this.#mapWindows((window) => window.spent);
    for (const [key, limit] of this.#limitsOfWindows()) {
      const lowered = (before.get(key) ?? spent.get(key) ?? 0n) - limit;
      if (lowered > 0n) this.#addExplained(key, lowered);
    }
  }

  #freeOfWindows(): Map<string, bigint> {
    return this.#mapWindows((window) => window.amount - window.spent - window.leased);
  }

  #limitsOfWindows(): Map<string, bigint> {
    return this.#mapWindows((window) => window.amount);
  }

  #mapWindows(read: (window: WindowRow) => bigint): Map<string, bigint> {
    const found = new Map<string, bigint>();
    for (const { id, windows } of this.rows.organizations.values()) {
      for (const [key, window] of windows) found.set(`${id} ${key}`, read(window));
    }
    return found;
  }

  #addExplained(name: string, amount: bigint): void {
    this.#explained.set(name, (this.#explained.get(name) ?? 0n) + amount);
  }
}

/**
 * Returns the part of an event's cost that its share of a window's lease does not cover. Calls by other owners have no
 * share.
 */
function beyondLeaseOf(event: UsageEvent, key: string): bigint {
  const share = event.budgets.find((budget) => `${event.organizationId} ${windowKey(budget)}` === key);
  return share === undefined ? 0n : event.cost - share.fromLease;
}

function allowanceKey(organizationId: string, allowance: Allowance): string {
  return allowance.kind === "credit" ? organizationId : `${organizationId} ${windowKey(allowance.window)}`;
}

function send(notice: ChangeNotification, notices: Notices): void {
  if (notice.kind === "credit") {
    notices.creditChanged(notice.organizationId);
    return;
  }
  const { organizationId, allowance, recall, nodes } = notice;
  if (allowance.kind === "credit") notices.recall(organizationId, allowance, recall, nodes);
  else {
    const { scope, scopeId, startsAtMs } = allowance.window;
    notices.recall(organizationId, { kind: "budget", scope, scopeId, startsAtMs }, recall, nodes);
  }
}
