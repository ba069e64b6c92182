import type { NanoUsd } from "../money.ts";
import { type AdmissionRule, admits } from "./admission.ts";
import { smaller } from "./amounts.ts";
import type { RecalledAllowance } from "./hold.ts";
import type {
  Allowance,
  AllowanceMode,
  AllowanceState,
  HeartbeatAnswer,
  HoldDenial,
  LeaseAnswer,
  LeaseRequest,
  PendingEvent,
} from "./lease-messages.ts";
import type { Clock, CreditLedger, Heartbeat } from "./ports.ts";

const ALIVE_MS = 30_000;
const LAPSE_AFTER_MS = 35_000;

/** Outcome of the next call on the simulated network. */
export type Fate = "answered" | "request lost" | "answer lost" | "busy";

interface Share {
  granted: NanoUsd;
  returned: NanoUsd;
  settled: NanoUsd;
  recallSeen: number;
}

interface AllowanceRow {
  total: NanoUsd;
  mode: AllowanceMode;
  largestHold: NanoUsd;
  recall: number;
  recalledAtMs: number;
  readonly shares: Map<string, Share>;
}

/** An in-memory ledger that implements the lease rules, with a controllable network. */
export class SmallLedger implements CreditLedger {
  readonly rows = new Map<string, AllowanceRow>();
  readonly nodes = new Map<string, { epoch: number; beat: number; aliveUntilMs: number }>();
  readonly seqs = new Map<string, number>();
  /** Leases that were reclaimed from a silent node. */
  readonly reclaimed = new Set<string>();
  readonly requests: (LeaseRequest & { readonly nodeId: string })[] = [];
  readonly beats: Heartbeat[] = [];
  readonly closed: {
    readonly nodeId: string;
    readonly beforeEpoch: number;
    readonly pending: readonly PendingEvent[];
  }[] = [];
  statements = 0;
  latencyMs = 1;
  fate: (call: "register" | "heartbeat" | "lease" | "close", nodeId?: string) => Fate = () => "answered";
  onRecall: (organizationId: string, allowance: RecalledAllowance, number: number, nodes: readonly string[]) => void =
    () => {};
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets an allowance's balance or limit. */
  fund(organizationId: string, amount: NanoUsd, allowance: Allowance = { kind: "credit" }): void {
    this.row(organizationId, allowance).total = amount;
  }

  row(organizationId: string, allowance: Allowance = { kind: "credit" }): AllowanceRow {
    const key = `${organizationId} ${nameOf(allowance)}`;
    const found = this.rows.get(key);
    if (found !== undefined) return found;
    const total = allowance.kind === "budget" ? allowance.limit : 0n;
    const made: AllowanceRow = {
      total,
      mode: "slices",
      largestHold: 0n,
      recall: 0,
      recalledAtMs: 0,
      shares: new Map(),
    };
    this.rows.set(key, made);
    return made;
  }

  /** Returns the amount of an allowance that a node's lease of one epoch still holds. */
  outstanding(
    organizationId: string,
    nodeId: string,
    epoch: number,
    allowance: Allowance = { kind: "credit" },
  ): NanoUsd {
    const share = this.row(organizationId, allowance).shares.get(`${nodeId} ${epoch}`);
    return share === undefined ? 0n : share.granted - share.returned - share.settled;
  }

  free(organizationId: string, allowance: Allowance = { kind: "credit" }): NanoUsd {
    return freeOf(this.row(organizationId, allowance));
  }

  /** Settles a call's event in the ledger. */
  settle(nodeId: string, event: PendingEvent, cost: NanoUsd): void {
    const windows = event.budgets.map(({ window }) => ({ kind: "budget", window, limit: 0n }) as const);
    for (const allowance of [{ kind: "credit" } as const, ...windows]) {
      const row = this.row(event.organizationId, allowance);
      row.total -= cost;
      const share = shareOf(row, `${nodeId} ${event.epoch}`);
      const fromLease = shareIn(event, `${event.organizationId} ${nameOf(allowance)}`);
      share.settled += smaller(fromLease, share.granted - share.returned - share.settled);
    }
  }

  /** Reclaims the leases of a silent node, as the ledger does after fifteen minutes. */
  reclaim(nodeId: string): void {
    const node = this.nodes.get(nodeId);
    if (node === undefined || node.aliveUntilMs + LAPSE_AFTER_MS - ALIVE_MS > this.#clock.wallMs()) return;
    for (const [key, row] of this.rows) {
      const share = row.shares.get(`${nodeId} ${node.epoch}`);
      if (share === undefined) continue;
      share.returned = share.granted - share.settled;
      this.reclaimed.add(`${key.split(" ")[0]} ${nodeId} ${node.epoch}`);
    }
  }

  registerNode(nodeId: string, knownEpoch: number): Promise<{ epoch: number; liveNodes: number }> {
    return this.#carry(this.fate("register"), () => {
      const epoch = Math.max(this.nodes.get(nodeId)?.epoch ?? 0, knownEpoch) + 1;
      this.nodes.set(nodeId, { epoch, beat: 0, aliveUntilMs: this.#clock.wallMs() + ALIVE_MS });
      return { epoch, liveNodes: this.#liveNodes().length };
    });
  }

  heartbeat(beat: Heartbeat): Promise<HeartbeatAnswer> {
    return this.#carry(this.fate("heartbeat"), () => {
      this.beats.push(beat);
      const node = this.nodes.get(beat.nodeId);
      if (node === undefined || node.epoch !== beat.epoch) return { kind: "fenced" };
      const previousBeat = node.beat;
      node.beat = Math.max(node.beat, beat.beat);
      node.aliveUntilMs = this.#clock.wallMs() + ALIVE_MS;
      return { kind: "alive", liveNodes: this.#liveNodes().length, previousBeat };
    });
  }

  lease(
    nodeId: string,
    epoch: number,
    admission: AdmissionRule,
    requests: readonly LeaseRequest[],
  ): Promise<LeaseAnswer[]> {
    const fate = this.fate("lease", nodeId);
    const isBusy = fate === "busy";
    return this.#carry(fate, () => {
      this.statements += 1;
      for (const request of requests) this.requests.push({ ...request, nodeId });
      return requests.map((request) => {
        const { organizationId, seq } = request;
        const name = `${organizationId} ${nodeId} ${epoch}`;
        const outcome = isBusy ? "busy" : this.#isFenced(nodeId, epoch, name) ? "fenced" : "answered";
        const denial = outcome === "answered" ? this.#apply(nodeId, epoch, admission, request) : null;
        const allowances =
          outcome === "answered"
            ? request.allowances.map(({ allowance }) => this.#answer(organizationId, allowance, `${nodeId} ${epoch}`))
            : [];
        return { organizationId, seq, outcome, allowances, denial };
      });
    });
  }

  closeLeases(nodeId: string, beforeEpoch: number, pending: readonly PendingEvent[]): Promise<void> {
    return this.#carry(this.fate("close"), () => {
      this.closed.push({ nodeId, beforeEpoch, pending });
      for (const [key, row] of this.rows) {
        for (const [name, share] of row.shares) {
          const [owner, epoch] = name.split(" ");
          if (owner !== nodeId || Number(epoch) >= beforeEpoch) continue;
          const kept = pending
            .filter((event) => event.epoch === Number(epoch))
            .reduce((sum, event) => sum + shareIn(event, key), 0n);
          share.returned =
            share.granted - share.settled - smaller(kept, share.granted - share.returned - share.settled);
        }
      }
    });
  }

  #apply(nodeId: string, epoch: number, admission: AdmissionRule, request: LeaseRequest): HoldDenial | null {
    const name = `${request.organizationId} ${nodeId} ${epoch}`;
    if (request.seq <= (this.seqs.get(name) ?? 0)) return null;
    this.seqs.set(name, request.seq);
    const rows = request.allowances.map(({ allowance }) => this.row(request.organizationId, allowance));
    const shares = rows.map((row) => shareOf(row, `${nodeId} ${epoch}`));
    request.allowances.forEach(({ returned, largestHold, recallSeen }, position) => {
      const row = rows[position] as AllowanceRow;
      const share = shares[position] as Share;
      share.returned += smaller(returned, share.granted - share.returned - share.settled);
      share.recallSeen = Math.max(share.recallSeen, recallSeen);
      if (largestHold > row.largestHold) row.largestHold = largestHold;
    });
    let denial: HoldDenial | null = null;
    for (const hold of request.holds) {
      const short = hold.allowances.find((position) => {
        const kind = request.allowances[position]?.allowance.kind ?? "credit";
        return !admits(admission, kind, freeOf(rows[position] as AllowanceRow), hold.amount);
      });
      if (short !== undefined) {
        denial = this.#deny(request, short, rows[short] as AllowanceRow, nodeId);
        break;
      }
      for (const position of hold.allowances) (shares[position] as Share).granted += hold.amount;
    }
    request.allowances.forEach(({ slice }, position) => {
      const row = rows[position] as AllowanceRow;
      chooseMode(row);
      const free = freeOf(row);
      if (row.mode !== "slices" || free <= 0n) return;
      const share = row.total / BigInt(2 * this.#liveNodes().length);
      (shares[position] as Share).granted += smaller(slice, smaller(free / 20n, share));
      chooseMode(row);
    });
    return denial;
  }

  #deny(request: LeaseRequest, position: number, row: AllowanceRow, nodeId: string): HoldDenial {
    chooseMode(row);
    const wallMs = this.#clock.wallMs();
    if (row.recalledAtMs < wallMs - 1_000) {
      row.recall += 1;
      row.recalledAtMs = wallMs;
    }
    const awaited = this.#liveNodes().filter(([other, { epoch }]) => {
      const share = row.shares.get(`${other} ${epoch}`);
      return (
        other !== nodeId &&
        share !== undefined &&
        share.granted - share.returned - share.settled > 0n &&
        share.recallSeen < row.recall
      );
    });
    const { recall } = row;
    if (awaited.length === 0) return { kind: "refused", allowance: position, recall };
    if (request.afterRecall !== recall) {
      const allowance = request.allowances[position]?.allowance;
      const recalled: RecalledAllowance =
        allowance?.kind === "budget" ? { kind: "budget", ...allowance.window } : { kind: "credit" };
      const nodes = awaited.map(([other]) => other);
      this.#clock.after(this.latencyMs, () => this.onRecall(request.organizationId, recalled, recall, nodes));
    }
    return { kind: "wait", allowance: position, recall };
  }

  #answer(organizationId: string, allowance: Allowance, name: string): AllowanceState {
    const row = this.row(organizationId, allowance);
    const { granted, returned } = shareOf(row, name);
    return { granted, returned, free: freeOf(row), balance: row.total, mode: row.mode, recall: row.recall };
  }

  #isFenced(nodeId: string, epoch: number, name: string): boolean {
    const node = this.nodes.get(nodeId);
    return node === undefined || node.epoch !== epoch || this.reclaimed.has(name);
  }

  #liveNodes(): [string, { epoch: number }][] {
    return [...this.nodes].filter(([, { aliveUntilMs }]) => aliveUntilMs > this.#clock.wallMs());
  }

  async #carry<T>(fate: Fate, work: () => T): Promise<T> {
    await this.#pass();
    if (fate === "request lost") throw new Error("lost on the way");
    const answer = work();
    await this.#pass();
    if (fate === "answer lost") throw new Error("lost on the way back");
    return answer;
  }

  #pass(): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(this.latencyMs / 2, resolve));
  }
}

function nameOf(allowance: Allowance): string {
  return allowance.kind === "credit"
    ? "credit"
    : `${allowance.window.scope}/${allowance.window.scopeId}/${allowance.window.startsAtMs}`;
}

function shareIn(event: PendingEvent, key: string): NanoUsd {
  if (key === `${event.organizationId} credit`) return event.fromLease;
  const budget = event.budgets.find(
    ({ window }) => key === `${event.organizationId} ${nameOf({ kind: "budget", window, limit: 0n })}`,
  );
  return budget?.fromLease ?? 0n;
}

function shareOf(row: AllowanceRow, name: string): Share {
  const found = row.shares.get(name);
  if (found !== undefined) return found;
  const made: Share = { granted: 0n, returned: 0n, settled: 0n, recallSeen: 0 };
  row.shares.set(name, made);
  return made;
}

function freeOf(row: AllowanceRow): NanoUsd {
  let free = row.total;
  for (const { granted, returned, settled } of row.shares.values()) free -= granted - returned - settled;
  return free;
}

function chooseMode(row: AllowanceRow): void {
  const free = freeOf(row);
  if (free > 40n * row.largestHold) row.mode = "slices";
  else if (free < 20n * row.largestHold && row.mode === "slices") {
    row.mode = "exact";
    row.recall += 1;
  }
}
