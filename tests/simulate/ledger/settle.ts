import type { SettleOutcome } from "@tollgate/domain/credit/lease-messages.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { smaller } from "./amounts.ts";
import { applyBlockRule } from "./entries.ts";
import { belongsTo } from "./lease-credit.ts";
import {
  type AllowanceRow,
  type LedgerRows,
  leaseKey,
  type OrganizationRow,
  outstandingOf,
  windowKey,
} from "./rows.ts";

/** Rule that is broken on purpose, to check that the simulation detects it. */
export type Broken = "none" | "double-post";

/**
 * Models `settle_usage`: settles every event once by its ID, with one usage transaction per organization in the batch.
 */
export function settleUsage(
  rows: LedgerRows,
  batch: readonly UsageEvent[],
  broken: Broken,
): Map<string, SettleOutcome> {
  const outcomes = new Map<string, SettleOutcome>();
  const fresh = new Map<string, UsageEvent[]>();
  for (const event of [...batch].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const isKnown = rows.events.has(event.id) || outcomes.has(event.id);
    if (isKnown && broken === "none") {
      if (!outcomes.has(event.id)) outcomes.set(event.id, "known");
      continue;
    }
    outcomes.set(event.id, "settled");
    if (event.organizationId === null)
      rows.events.set(event.id, { event, applied: 0n, transactionId: null, lossTransactionId: null });
    else fresh.set(event.organizationId, [...(fresh.get(event.organizationId) ?? []), event]);
  }
  const lossTransactionId = postLoss(rows, [...fresh.values()].flat());
  for (const organizationId of [...fresh.keys()].sort()) {
    const organization = rows.organizations.get(organizationId);
    if (organization === undefined) throw new Error(`the ledger has no organization ${organizationId}`);
    settleOrganization(rows, organization, fresh.get(organizationId) ?? [], lossTransactionId);
  }
  return outcomes;
}

/** Returns the operator's loss in an event; zero if the event is not billed. */
export function lossOf({ isBilled, loss, lostAttempts }: UsageEvent): bigint {
  return isBilled ? lostAttempts.reduce((sum, { cost }) => sum + cost, loss) : 0n;
}

/** Posts one transaction for the whole batch, named after the earliest event with a loss. */
function postLoss(rows: LedgerRows, events: readonly UsageEvent[]): string | null {
  const losing = events.filter((event) => lossOf(event) > 0n);
  if (losing.length === 0) return null;
  const firstId = losing.map(({ id }) => id).sort()[0];
  const amount = losing.reduce((sum, event) => sum + lossOf(event), 0n);
  const id = `loss:${firstId}:${rows.transactions.size}`;
  const route = { source: "sys:loss", destination: "sys:revenue" };
  rows.transactions.set(id, { id, kind: "loss", organizationId: null, ...route, amount });
  return id;
}

function settleOrganization(
  rows: LedgerRows,
  organization: OrganizationRow,
  events: readonly UsageEvent[],
  lossId: string | null,
): void {
  const billed = events.filter((event) => event.isBilled && event.cost > 0n);
  const total = billed.reduce((sum, event) => sum + event.cost, 0n);
  const transactionId = billed[0] === undefined ? null : post(rows, organization, billed[0].id, total);
  for (const event of events) {
    const applied = endLeaseShare(organization, event);
    const isCharged = event.isBilled && event.cost > 0n;
    const lossTransactionId = lossOf(event) > 0n ? lossId : null;
    rows.events.set(event.id, {
      event,
      applied,
      transactionId: isCharged ? transactionId : null,
      lossTransactionId,
    });
    for (const window of organization.windows.values()) if (belongsTo(event, window)) window.spent += event.cost;
    for (const share of event.budgets) {
      const window = organization.windows.get(windowKey(share));
      if (window !== undefined) endShare(window, event, share.fromLease);
    }
  }
  applyBlockRule(organization);
}

function post(rows: LedgerRows, organization: OrganizationRow, firstId: string, amount: bigint): string {
  const id = `usage:${firstId}:${rows.transactions.size}`;
  const source = `org:${organization.id}:credits`;
  const { id: organizationId } = organization;
  rows.transactions.set(id, { id, kind: "usage", organizationId, source, destination: "sys:revenue", amount });
  organization.balance -= amount;
  organization.used += amount;
  return id;
}

/** Releases the event's hold in its credit lease, up to the amount that the lease still has. */
function endLeaseShare(organization: OrganizationRow, event: UsageEvent): bigint {
  const lease = organization.leases.get(leaseKey(event.nodeId, event.epoch));
  if (lease === undefined || lease.state === "reclaimed") return 0n;
  const applied = endShare(organization, event, event.fromLease);
  const share = organization.shares.get(leaseKey(event.nodeId, event.epoch));
  if (lease.state === "closing" && share !== undefined && outstandingOf(share) === 0n) lease.state = "closed";
  return applied;
}

function endShare(allowance: AllowanceRow, event: UsageEvent, fromLease: bigint): bigint {
  const share = allowance.shares.get(leaseKey(event.nodeId, event.epoch));
  if (share === undefined) return 0n;
  const applied = smaller(fromLease, outstandingOf(share));
  share.settled += applied;
  allowance.leased -= applied;
  return applied;
}
