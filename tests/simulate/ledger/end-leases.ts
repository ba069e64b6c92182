import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import {
  type AllowanceRow,
  type LeaseRow,
  type LedgerRows,
  leaseKey,
  type OrganizationRow,
  outstandingOf,
  windowKey,
} from "./rows.ts";

const LAPSE_AFTER_MS = 5_000;
const FORMER_RUN_AFTER_MS = 35_000;

/** Models `close_leases`: returns everything except what unsettled events will need. */
export function closeLeases(
  rows: LedgerRows,
  nodeId: string,
  beforeEpoch: number,
  pending: readonly PendingEvent[],
): void {
  const missing = pending.filter((event) => !rows.events.has(event.id));
  for (const organization of rows.organizations.values()) {
    for (const lease of organization.leases.values()) {
      if (lease.nodeId !== nodeId || lease.epoch >= beforeEpoch) continue;
      const own = missing.filter((event) => event.organizationId === organization.id && event.epoch === lease.epoch);
      for (const window of organization.windows.values()) {
        const shares = own.flatMap((event) =>
          event.budgets.filter((share) => windowKey(share.window) === windowKey(window)),
        );
        giveBack(window, lease, sum(shares.map((share) => share.fromLease)));
      }
      if (lease.state === "closed" || lease.state === "reclaimed") continue;
      const rest = giveBack(organization, lease, sum(own.map((event) => event.fromLease)));
      lease.state = rest === 0n ? "closed" : "closing";
      lease.lapsedAtMs = null;
    }
  }
}

/**
 * Models `lapse_silent_nodes`: expires leases whose node has stopped and can neither use them nor deliver their events.
 */
export function expireSilentNodes(rows: LedgerRows, nowMs: number): void {
  for (const organization of rows.organizations.values()) {
    for (const lease of organization.leases.values()) {
      const node = rows.nodes.get(lease.nodeId);
      if (node === undefined || (lease.state !== "active" && lease.state !== "closing")) continue;
      const isNodeSilent = node.aliveUntilMs + LAPSE_AFTER_MS < nowMs;
      // A lease that is being closed waits for events that its node still delivers.
      const isFormerRun = lease.epoch < node.epoch && node.startedAtMs + FORMER_RUN_AFTER_MS < nowMs;
      if (!isNodeSilent && (lease.state === "closing" || !isFormerRun)) continue;
      lease.state = "lapsed";
      lease.lapsedAtMs = nowMs;
    }
  }
}

/** Models `reclaim_leases`: returns leases that have been expired for this long, regardless of late events. */
export function reclaimLeases(rows: LedgerRows, afterMs: number, nowMs: number): void {
  for (const organization of rows.organizations.values()) {
    for (const lease of organization.leases.values()) {
      if (lease.state !== "lapsed" || lease.lapsedAtMs === null || lease.lapsedAtMs + afterMs >= nowMs) continue;
      lease.state = "reclaimed";
      reclaim(organization, lease);
      for (const window of organization.windows.values()) reclaim(window, lease);
    }
  }
}

/** Reactivates the leases of a node that sends heartbeats again. */
export function reviveLeases(organization: OrganizationRow, nodeId: string, epoch: number): void {
  const lease = organization.leases.get(leaseKey(nodeId, epoch));
  if (lease?.state !== "lapsed") return;
  lease.state = "active";
  lease.lapsedAtMs = null;
}

function giveBack(allowance: AllowanceRow, lease: LeaseRow, keep: bigint): bigint {
  const share = allowance.shares.get(leaseKey(lease.nodeId, lease.epoch));
  if (share === undefined) return 0n;
  const back = outstandingOf(share) - keep;
  if (back > 0n) {
    share.returned += back;
    allowance.leased -= back;
  }
  return outstandingOf(share);
}

function reclaim(allowance: AllowanceRow, lease: LeaseRow): void {
  const share = allowance.shares.get(leaseKey(lease.nodeId, lease.epoch));
  if (share === undefined) return;
  const rest = outstandingOf(share);
  share.reclaimed += rest;
  allowance.leased -= rest;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
