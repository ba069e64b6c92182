import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type {
  Allowance,
  AllowanceRequest,
  AllowanceState,
  HoldDenial,
  LeaseAnswer,
  LeaseRequest,
} from "@tollgate/domain/credit/lease-messages.ts";
import { smaller } from "./amounts.ts";
import {
  type AllowanceRow,
  type LedgerRows,
  leaseKey,
  type OrganizationRow,
  outstandingOf,
  type ShareRow,
  shareOf,
  timeOfEvent,
  type WindowRow,
  windowKey,
} from "./rows.ts";

const LARGEST_HOLD_MEMORY_MS = 600_000;
/** Time for which a gateway's answer to a recall holds. Afterward, it may have credit whose return is delayed. */
export const RECALL_HOLDS_MS = 1_000;

export interface LeaseMessage {
  readonly nodeId: string;
  readonly epoch: number;
  readonly admission: AdmissionRule;
  readonly requests: readonly LeaseRequest[];
}

/** A recall that the statement sends, and the nodes that it asks. */
export interface Recall {
  readonly organizationId: string;
  readonly recall: number;
  readonly allowance: Allowance;
  readonly nodes: readonly string[];
}

interface OpenAllowance {
  readonly asked: AllowanceRequest;
  readonly row: AllowanceRow;
  readonly share: ShareRow;
  /** The credit balance, or a budget's limit minus its spend. */
  readonly balance: bigint;
}

/**
 * Models `lease_credit`: first takes back returned amounts, then grants the longest prefix of holds that fits, then
 * grants slices.
 */
export function leaseCredit(
  rows: LedgerRows,
  message: LeaseMessage,
  nowMs: number,
  sendRecall: (recall: Recall) => void,
): LeaseAnswer[] {
  const isCurrent = rows.nodes.get(message.nodeId)?.epoch === message.epoch;
  return message.requests.map((request) => {
    const organization = rows.organizations.get(request.organizationId);
    if (!isCurrent || organization === undefined) return refuse(request, "fenced");
    return leaseOf(rows, organization, message, request, nowMs, sendRecall);
  });
}

function leaseOf(
  rows: LedgerRows,
  organization: OrganizationRow,
  message: LeaseMessage,
  request: LeaseRequest,
  nowMs: number,
  sendRecall: (recall: Recall) => void,
): LeaseAnswer {
  const { nodeId, epoch } = message;
  const key = leaseKey(nodeId, epoch);
  let lease = organization.leases.get(key);
  if (lease !== undefined && lease.state !== "active") return refuse(request, "fenced");
  lease ??= { nodeId, epoch, seq: 0, state: "active", lapsedAtMs: null };
  organization.leases.set(key, lease);
  const open = request.allowances.map((asked) => openAllowance(rows, organization, asked, nodeId, epoch, nowMs));
  if (request.seq <= lease.seq) return answer(request, open, null);
  lease.seq = request.seq;
  for (const allowance of open) takeBack(allowance, nowMs);
  const failed = grantHolds(request, open, message.admission, nowMs);
  for (const allowance of open) chooseMode(allowance, nowMs);
  const denial = failed === null ? null : deny(rows, organization, message, request, open, failed, nowMs, sendRecall);
  const live = Math.max(1, liveNodes(rows, nowMs));
  for (const allowance of open) grantSlice(allowance, live, nowMs);
  return answer(request, open, denial);
}

/** Returns the number of nodes with a current heartbeat. */
export function liveNodes(rows: LedgerRows, nowMs: number): number {
  let live = 0;
  for (const node of rows.nodes.values()) if (node.aliveUntilMs > nowMs) live += 1;
  return live;
}

function refuse(request: LeaseRequest, outcome: "fenced"): LeaseAnswer {
  return { organizationId: request.organizationId, seq: request.seq, outcome, allowances: [], denial: null };
}

function openAllowance(
  rows: LedgerRows,
  organization: OrganizationRow,
  asked: AllowanceRequest,
  nodeId: string,
  epoch: number,
  nowMs: number,
): OpenAllowance {
  if (asked.allowance.kind === "credit") {
    return { asked, row: organization, share: shareOf(organization, nodeId, epoch), balance: organization.balance };
  }
  const { window, limit } = asked.allowance;
  const key = windowKey(window);
  let row = organization.windows.get(key);
  if (row === undefined) {
    row = newWindow(rows, organization, asked.allowance.window, limit, nowMs);
    organization.windows.set(key, row);
  }
  return { asked, row, share: shareOf(row, nodeId, epoch), balance: limit - row.spent };
}

function newWindow(
  rows: LedgerRows,
  organization: OrganizationRow,
  window: Pick<WindowRow, "scope" | "scopeId" | "startsAtMs" | "endsAtMs">,
  amount: bigint,
  nowMs: number,
): WindowRow {
  const { scope, scopeId, startsAtMs, endsAtMs } = window;
  let spent = 0n;
  for (const { event } of rows.events.values()) {
    if (event.organizationId === organization.id && belongsTo(event, window)) spent += event.cost;
  }
  const empty = { leased: 0n, mode: "slices", largestHold: 0n, largestHoldAtMs: nowMs, recall: 0 } as const;
  return { ...empty, scope, scopeId, startsAtMs, endsAtMs, amount, spent, shares: new Map() };
}

/** Reports whether an event's cost counts against a window. */
export function belongsTo(
  event: { id: string; organizationId: string | null; teamId: string | null; keyId: string; userId: string | null },
  window: Pick<WindowRow, "scope" | "scopeId" | "startsAtMs" | "endsAtMs">,
): boolean {
  const owners = { key: event.keyId, team: event.teamId, user: event.userId, organization: event.organizationId };
  const atMs = timeOfEvent(event.id);
  return owners[window.scope] === window.scopeId && window.startsAtMs <= atMs && atMs < window.endsAtMs;
}

function takeBack({ asked, row, share }: OpenAllowance, nowMs: number): void {
  if (asked.allowance.kind === "budget") (row as WindowRow).amount = asked.allowance.limit;
  rememberHold(row, asked.largestHold, nowMs);
  const back = smaller(asked.returned, outstandingOf(share));
  share.returned += back;
  row.leased -= back;
  if (asked.recallSeen > share.recallSeen) share.recallSeen = asked.recallSeen;
}

function rememberHold(row: AllowanceRow, amount: bigint, nowMs: number): void {
  if (amount < row.largestHold && row.largestHoldAtMs >= nowMs - LARGEST_HOLD_MEMORY_MS) return;
  row.largestHold = amount;
  row.largestHoldAtMs = nowMs;
}

function freeOf({ row, balance }: OpenAllowance): bigint {
  return balance - row.leased;
}

/** Grants holds in order. For the first refused hold, returns the first allowance in which it doesn't fit. */
function grantHolds(
  request: LeaseRequest,
  open: readonly OpenAllowance[],
  admission: AdmissionRule,
  nowMs: number,
): { allowance: number } | null {
  for (const hold of request.holds) {
    if (hold.amount === 0n) continue;
    for (const position of hold.allowances) {
      const allowance = open[position] as OpenAllowance;
      rememberHold(allowance.row, hold.amount, nowMs);
      if (!fits(allowance.asked.allowance.kind, freeOf(allowance), hold.amount, admission))
        return { allowance: position };
    }
    for (const position of hold.allowances) grant(open[position] as OpenAllowance, hold.amount);
  }
  return null;
}

/**
 * Reports whether a hold fits. The policy sets the minimum free amount, and the overdraft sets how much of the hold can
 * be uncovered.
 */
export function fits(
  kind: Allowance["kind"],
  free: bigint,
  amount: bigint,
  { policy, overdraft }: AdmissionRule,
): boolean {
  const missing = amount - free;
  switch (policy) {
    case "strict":
      return missing <= (kind === "credit" ? overdraft : 0n);
    case "positive":
      return free > 0n && missing <= overdraft;
    case "nonnegative":
      return free >= 0n && missing <= overdraft;
  }
}

function grant({ row, share }: OpenAllowance, amount: bigint): void {
  share.granted += amount;
  row.leased += amount;
}

/** Chooses how the allowance is granted. Each time that it becomes exact, the credit of earlier slices is recalled. */
function chooseMode(allowance: OpenAllowance, nowMs: number): void {
  const { row } = allowance;
  const free = freeOf(allowance);
  if (free > 40n * row.largestHold) row.mode = "slices";
  else if (free < 20n * row.largestHold && row.mode === "slices") {
    row.mode = "exact";
    row.recall = Math.max(row.recall + 1, Math.floor(nowMs));
  }
}

function deny(
  rows: LedgerRows,
  organization: OrganizationRow,
  message: LeaseMessage,
  request: LeaseRequest,
  open: readonly OpenAllowance[],
  failed: { allowance: number },
  nowMs: number,
  sendRecall: (recall: Recall) => void,
): HoldDenial {
  const { row, asked } = open[failed.allowance] as OpenAllowance;
  if (row.recall < Math.floor(nowMs) - RECALL_HOLDS_MS) row.recall = Math.max(row.recall + 1, Math.floor(nowMs));
  const nodes = new Set<string>();
  for (const share of row.shares.values()) {
    if (share.nodeId === message.nodeId || outstandingOf(share) === 0n || share.recallSeen >= row.recall) continue;
    const node = rows.nodes.get(share.nodeId);
    const lease = organization.leases.get(leaseKey(share.nodeId, share.epoch));
    if (node?.epoch === share.epoch && node.aliveUntilMs > nowMs && lease?.state === "active") nodes.add(share.nodeId);
  }
  const { recall } = row;
  if (nodes.size === 0) return { kind: "refused", allowance: failed.allowance, recall };
  // A hold that waits for this recall already has caused the notification.
  if (request.afterRecall !== recall) {
    sendRecall({ organizationId: organization.id, recall, allowance: asked.allowance, nodes: [...nodes] });
  }
  return { kind: "wait", allowance: failed.allowance, recall };
}

function grantSlice(allowance: OpenAllowance, live: number, nowMs: number): void {
  if (allowance.row.mode === "exact") return;
  const bound = smaller(freeOf(allowance) / 20n, allowance.balance / BigInt(2 * live));
  const slice = smaller(allowance.asked.slice, bound);
  if (slice <= 0n) return;
  grant(allowance, slice);
  chooseMode(allowance, nowMs);
}

function answer(request: LeaseRequest, open: readonly OpenAllowance[], denial: HoldDenial | null): LeaseAnswer {
  const allowances: AllowanceState[] = open.map((allowance) => ({
    granted: allowance.share.granted,
    returned: allowance.share.returned,
    free: freeOf(allowance),
    balance: allowance.balance,
    mode: allowance.row.mode,
    recall: allowance.row.recall,
  }));
  return { organizationId: request.organizationId, seq: request.seq, outcome: "answered", allowances, denial };
}
