import type {
  Allowance,
  HeartbeatAnswer,
  LeaseAnswer,
  PendingEvent,
  SettleOutcome,
} from "@tollgate/domain/credit/lease-messages.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { closeLeases, expireSilentNodes, reclaimLeases, reviveLeases } from "./ledger/end-leases.ts";
import { type Entry, postEntry } from "./ledger/entries.ts";
import { type LeaseMessage, leaseCredit, liveNodes } from "./ledger/lease-credit.ts";
import type { LedgerRows, OrganizationRow } from "./ledger/rows.ts";
import { type Broken, settleUsage } from "./ledger/settle.ts";

const ALIVE_MS = 30_000;

export type ChangeNotification =
  | {
      readonly kind: "recall";
      readonly organizationId: string;
      readonly recall: number;
      readonly allowance: Allowance;
      /** The nodes that are asked; null for all. */
      readonly nodes: readonly string[] | null;
    }
  | { readonly kind: "credit"; readonly organizationId: string };

/** The database's ledger rules, with one method per SQL function. Each call is one transaction. */
export class ModelLedger {
  rows: LedgerRows = newRows();
  readonly #now: () => number;
  readonly #broken: Broken;
  readonly #notify: (notice: ChangeNotification) => void;

  constructor(now: () => number, notify: (notice: ChangeNotification) => void, broken: Broken) {
    this.#now = now;
    this.#notify = notify;
    this.#broken = broken;
  }

  addOrganization(id: string, teamIds: readonly string[]): OrganizationRow {
    const organization: OrganizationRow = {
      id,
      balance: 0n,
      leased: 0n,
      mode: "slices",
      largestHold: 0n,
      largestHoldAtMs: this.#now(),
      recall: 0,
      purchased: 0n,
      granted: 0n,
      used: 0n,
      refunded: 0n,
      adjusted: 0n,
      shares: new Map(),
      leases: new Map(),
      windows: new Map(),
      teams: teamIds.map((teamId) => ({ id: teamId, status: "active", reason: null })),
    };
    this.rows.organizations.set(id, organization);
    return organization;
  }

  registerNode(nodeId: string, knownEpoch: number): { epoch: number; liveNodes: number } {
    const epoch = Math.max(this.rows.nodes.get(nodeId)?.epoch ?? 0, knownEpoch) + 1;
    const nowMs = this.#now();
    this.rows.nodes.set(nodeId, { epoch, beat: 0, startedAtMs: nowMs, aliveUntilMs: nowMs + ALIVE_MS });
    return { epoch, liveNodes: liveNodes(this.rows, this.#now()) };
  }

  heartbeat(nodeId: string, epoch: number, beat: number): HeartbeatAnswer {
    const node = this.rows.nodes.get(nodeId);
    if (node === undefined || node.epoch !== epoch) return { kind: "fenced" };
    const previousBeat = node.beat;
    node.beat = Math.max(node.beat, beat);
    node.aliveUntilMs = this.#now() + ALIVE_MS;
    for (const organization of this.rows.organizations.values()) reviveLeases(organization, nodeId, epoch);
    return { kind: "alive", liveNodes: liveNodes(this.rows, this.#now()), previousBeat };
  }

  lease(message: LeaseMessage): LeaseAnswer[] {
    return leaseCredit(this.rows, message, this.#now(), (recall) => this.#notify({ kind: "recall", ...recall }));
  }

  closeLeases(nodeId: string, beforeEpoch: number, pending: readonly PendingEvent[]): void {
    closeLeases(this.rows, nodeId, beforeEpoch, pending);
  }

  settle(events: readonly UsageEvent[]): Map<string, SettleOutcome> {
    return settleUsage(this.rows, events, this.#broken);
  }

  known(ids: readonly string[]): Set<string> {
    return new Set(ids.filter((id) => this.rows.events.has(id)));
  }

  lapse(): void {
    expireSilentNodes(this.rows, this.#now());
  }

  reclaim(afterMs: number): void {
    reclaimLeases(this.rows, afterMs, this.#now());
  }

  postEntry(entry: Entry): void {
    const posted = postEntry(this.rows, entry);
    if (posted === null) return;
    const { organizationId } = entry;
    if (posted.isDebit) {
      const recall = this.rows.organizations.get(organizationId)?.recall ?? 0;
      this.#notify({ kind: "recall", organizationId, recall, allowance: { kind: "credit" }, nodes: null });
    } else this.#notify({ kind: "credit", organizationId });
  }

  /** Returns a copy of the whole ledger, which can be restored later. */
  backUp(): LedgerRows {
    return structuredClone(this.rows);
  }

  restore(backup: LedgerRows): void {
    this.rows = structuredClone(backup);
  }
}

function newRows(): LedgerRows {
  return { nodes: new Map(), organizations: new Map(), events: new Map(), transactions: new Map(), entries: new Map() };
}
