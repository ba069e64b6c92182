import type { BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import type { AllowanceMode } from "@tollgate/domain/credit/lease-messages.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";

/** One node's share of one allowance in one epoch: a row of `credit_leases` or `budget_leases`. */
export interface ShareRow {
  readonly nodeId: string;
  readonly epoch: number;
  granted: bigint;
  returned: bigint;
  settled: bigint;
  reclaimed: bigint;
  recallSeen: number;
}

/** Common fields of allowances: an organization's credit, or a budget window. */
export interface AllowanceRow {
  leased: bigint;
  mode: AllowanceMode;
  largestHold: bigint;
  largestHoldAtMs: number;
  recall: number;
  /** Shares, by node and epoch. */
  shares: Map<string, ShareRow>;
}

export interface WindowRow extends AllowanceRow {
  readonly scope: BudgetScope;
  readonly scopeId: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  amount: bigint;
  spent: bigint;
}

export type LeaseState = "active" | "lapsed" | "closing" | "closed" | "reclaimed";

/** Fields of a lease in addition to its share of the credit. */
export interface LeaseRow {
  readonly nodeId: string;
  readonly epoch: number;
  seq: number;
  state: LeaseState;
  lapsedAtMs: number | null;
}

export interface TeamRow {
  readonly id: string;
  status: "active" | "blocked";
  reason: "negative_balance" | "admin" | null;
}

export interface OrganizationRow extends AllowanceRow {
  readonly id: string;
  balance: bigint;
  purchased: bigint;
  granted: bigint;
  used: bigint;
  refunded: bigint;
  adjusted: bigint;
  readonly leases: Map<string, LeaseRow>;
  readonly windows: Map<string, WindowRow>;
  readonly teams: TeamRow[];
}

export interface NodeRow {
  epoch: number;
  beat: number;
  startedAtMs: number;
  aliveUntilMs: number;
}

export interface EventRow {
  readonly event: UsageEvent;
  readonly applied: bigint;
  readonly transactionId: string | null;
  /** Transaction for the operator's loss; null if there is no loss or the call is not billed. */
  readonly lossTransactionId: string | null;
}

export interface TransactionRow {
  readonly id: string;
  readonly kind: EntryKind | "usage" | "loss";
  /** Null if the transaction is for a loss. */
  readonly organizationId: string | null;
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
}

export type EntryKind = "purchase" | "grant" | "refund" | "dispute" | "dispute_won" | "adjustment";

/** The whole database as plain data, so that a clone of it is a backup. */
export interface LedgerRows {
  readonly nodes: Map<string, NodeRow>;
  readonly organizations: Map<string, OrganizationRow>;
  readonly events: Map<string, EventRow>;
  readonly transactions: Map<string, TransactionRow>;
  /** Entries, by idempotency key. */
  readonly entries: Map<string, string>;
}

/** Returns the remaining amount of a share. */
export function outstandingOf(share: ShareRow): bigint {
  return share.granted - share.returned - share.settled - share.reclaimed;
}

export function leaseKey(nodeId: string, epoch: number): string {
  return `${nodeId}/${epoch}`;
}

export function windowKey(window: { scope: BudgetScope; scopeId: string; startsAtMs: number }): string {
  return `${window.scope}/${window.scopeId}/${window.startsAtMs}`;
}

/** Returns a node's share of an allowance in one epoch, creating it on first use. */
export function shareOf(allowance: AllowanceRow, nodeId: string, epoch: number): ShareRow {
  const key = leaseKey(nodeId, epoch);
  let share = allowance.shares.get(key);
  if (share === undefined) {
    share = { nodeId, epoch, granted: 0n, returned: 0n, settled: 0n, reclaimed: 0n, recallSeen: 0 };
    allowance.shares.set(key, share);
  }
  return share;
}

/** Returns the timestamp of a UUIDv7, in Unix milliseconds. */
export function timeOfEvent(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
