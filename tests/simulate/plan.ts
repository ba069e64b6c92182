import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import { Random } from "../random.ts";
import type { EntryKind } from "./ledger/rows.ts";
import type { NetworkQuality } from "./network.ts";

/** All actions in a run. They are drawn in advance, so that some can be left out without changing the others. */
export interface Plan {
  readonly seed: number;
  readonly admission: AdmissionRule;
  readonly nodes: readonly NodePlan[];
  /** With 0 workers, gateways settle directly. */
  readonly workers: number;
  /** True if the journals share a disk. A starting process then takes over the journals of dead processes. */
  readonly sharesDisk: boolean;
  readonly reclaimAfterMs: number;
  /** Typical maximum duration of a journal sync. */
  readonly syncMs: number;
  /** Size at which a journal continues in another segment. */
  readonly segmentBytes: number;
  readonly busyChance: number;
  readonly network: NetworkQuality;
  readonly organizations: readonly OrganizationPlan[];
  readonly durationMs: number;
  readonly steps: readonly Step[];
}

export interface NodePlan {
  readonly skewMs: number;
  readonly rate: number;
}

export interface OrganizationPlan {
  readonly balance: bigint;
  readonly keys: number;
  /** Budgets of the team and of each key; null for none. */
  readonly teamBudget: BudgetPlan | null;
  readonly keyBudgets: readonly (BudgetPlan | null)[];
}

export interface BudgetPlan {
  readonly amount: bigint;
  readonly period: string;
}

/** A part of a response, and the time that the upstream takes for it. */
export interface Piece {
  readonly afterMs: number;
  readonly tokens: number;
}

export interface CallStep {
  readonly kind: "call";
  readonly atMs: number;
  readonly node: number;
  readonly organization: number;
  readonly key: number;
  readonly hold: bigint;
  readonly pieces: readonly Piece[];
  readonly ending: "success" | "failure" | "client_disconnect";
  /** Amount by which the hold is raised during the stream; 0 for most calls. */
  readonly extendBy: bigint;
  /** Tokens of failed attempts before the successful one, at the operator's expense. Empty for most calls. */
  readonly lostAttempts: readonly number[];
  /** True if the operator pays the part of the cost that exceeds the hold. */
  readonly isCapped: boolean;
}

export type FaultStep =
  | {
      readonly kind: "kill";
      readonly atMs: number;
      readonly node: number;
      /** `process`: written data survives. `machine`: unsynced data may be lost or torn. `disk`: everything is lost. */
      readonly of: "process" | "machine" | "disk";
      readonly backAfterMs: number;
    }
  | { readonly kind: "restart"; readonly atMs: number; readonly node: number }
  /** Only the thread that delivers events restarts. */
  | { readonly kind: "restart-delivery"; readonly atMs: number; readonly node: number }
  | { readonly kind: "freeze"; readonly atMs: number; readonly node: number; readonly forMs: number }
  | { readonly kind: "cut"; readonly atMs: number; readonly node: number; readonly forMs: number }
  | { readonly kind: "set-clock"; readonly atMs: number; readonly node: number; readonly byMs: number }
  | { readonly kind: "ledger-down"; readonly atMs: number; readonly forMs: number }
  /** A late duplicate message registers the node again, which supersedes its current run. */
  | { readonly kind: "fence"; readonly atMs: number; readonly node: number }
  /** The ledger is down, then restored to an earlier state. */
  | { readonly kind: "restore"; readonly atMs: number; readonly backUpAtMs: number; readonly forMs: number }
  | { readonly kind: "erase-log"; readonly atMs: number }
  | { readonly kind: "repeat-log"; readonly atMs: number }
  | { readonly kind: "kill-worker"; readonly atMs: number; readonly worker: number; readonly backAfterMs: number }
  | {
      readonly kind: "entry";
      readonly atMs: number;
      readonly organization: number;
      readonly entry: EntryKind;
      readonly amount: bigint;
    }
  | { readonly kind: "budget"; readonly atMs: number; readonly organization: number; readonly amount: bigint };

export type Step = CallStep | FaultStep;

const WHOLE_RUN_MS = 10_000_000;
/** Space for a few calls. */
const SMALL_SEGMENT_BYTES = 4_096;

/** Returns the plan for a seed. */
export function makePlan(seed: number, isQuick: boolean): Plan {
  const random = new Random(seed);
  const durationMs = random.pick([20_000, 60_000, 120_000]);
  const nodes = Array.from({ length: random.integer(1, 3) }, () => planNode(random));
  // An organization that all callers use constantly has idle credit on every node. An organization that callers use
  // intermittently doesn't.
  const isFocused = random.chance(0.4);
  const organizations = Array.from({ length: isFocused ? 1 : random.integer(1, 4) }, () =>
    planOrganization(random, isFocused),
  );
  const workers = random.integer(0, 2);
  const calls = random.integer(10, isQuick ? 40 : isFocused ? 200 : 100);
  const steps: Step[] = [];
  while (steps.length < calls) steps.push(...planCalls(random, durationMs, nodes.length, organizations));
  const faults = random.chance(0.1) ? 0 : random.integer(1, 12);
  for (let index = 0; index < faults; index += 1) {
    steps.push(planFault(random, durationMs, nodes.length, organizations, workers));
  }
  // Every other plan is the same as before there were segments and delivery restarts, so that its seed still finds what
  // it once found.
  const hasSegments = seed % 2 === 0;
  const restarts = new Random(~seed);
  for (let left = hasSegments ? restarts.integer(0, 3) : 0; left > 0; left -= 1) {
    const node = restarts.integer(0, nodes.length - 1);
    steps.push({ kind: "restart-delivery", atMs: restarts.next() * durationMs, node });
  }
  return {
    seed,
    admission: planAdmission(random),
    nodes,
    workers,
    sharesDisk: random.chance(0.3),
    reclaimAfterMs: random.chance(0.2) ? 60_000 : 900_000,
    syncMs: random.pick([3, 3, 30, 600]),
    segmentBytes: hasSegments ? SMALL_SEGMENT_BYTES : Number.POSITIVE_INFINITY,
    busyChance: random.chance(0.3) ? 0.1 : 0,
    network: planNetwork(random),
    organizations,
    durationMs,
    steps: steps.sort((one, other) => one.atMs - other.atMs),
  };
}

/** Ranges from no overdraft to more than any hold, so that either the overdraft or the credit runs out first. */
function planAdmission(random: Random): AdmissionRule {
  return {
    policy: random.pick(["strict", "strict", "positive", "nonnegative"]),
    overdraft: random.pick([0n, 1n, 100n, 1_000n, 1_000_000n]),
  };
}

function planNode(random: Random): NodePlan {
  const isOff = random.chance(0.2);
  return { skewMs: isOff ? random.integer(-3_600_000, 3_600_000) : 0, rate: 1 + (random.next() - 0.5) * 0.01 };
}

function planNetwork(random: Random): NetworkQuality {
  const isGood = random.chance(0.4);
  return {
    usualDelayMs: random.pick([1, 5, 20]),
    longDelayMs: random.pick([100, 1_500, 6_000]),
    longDelayChance: isGood ? 0 : random.pick([0.01, 0.05]),
    lossChance: isGood ? 0 : random.pick([0.005, 0.05]),
    duplicateChance: isGood ? 0 : 0.02,
  };
}

function planOrganization(random: Random, isBusy: boolean): OrganizationPlan {
  const balances = isBusy ? [20_000, 60_000, 200_000, 10_000_000] : [0, 1, 500, 5_000, 20_000, 200_000, 10_000_000];
  const balance = BigInt(random.pick(balances));
  const keys = random.integer(1, 3);
  const budget = (): BudgetPlan | null => {
    if (random.chance(0.6)) return null;
    return { amount: BigInt(random.pick([300, 3_000, 30_000])), period: random.pick(["none", "30s", "1h", "daily"]) };
  };
  return { balance, keys, teamBudget: budget(), keyBudgets: Array.from({ length: keys }, budget) };
}

/** Plans one call, or a burst of calls. */
function planCalls(
  random: Random,
  durationMs: number,
  nodes: number,
  organizations: readonly OrganizationPlan[],
): CallStep[] {
  const startMs = random.next() * durationMs;
  const crowd = random.chance(0.15) ? random.integer(5, 25) : 1;
  const organization = random.integer(0, organizations.length - 1);
  const { keys } = organizations[organization] as OrganizationPlan;
  return Array.from({ length: crowd }, () => ({
    kind: "call",
    atMs: startMs + random.next() * 50,
    node: random.integer(0, nodes - 1),
    organization,
    key: random.integer(0, keys - 1),
    ...planAnswer(random),
  }));
}

function planAnswer(
  random: Random,
): Pick<CallStep, "hold" | "pieces" | "ending" | "extendBy" | "lostAttempts" | "isCapped"> {
  const hold = random.pick([0, 10, 10, 100, 400, 400, 1_000]);
  const extendBy = hold > 0 && random.chance(0.1) ? 200 : 0;
  const isMoreExpensive = random.chance(0.03);
  let left = isMoreExpensive ? hold * 2 + 50 : Math.floor((hold + extendBy) * random.pick([0, 0.3, 0.8, 1]));
  const gapMs = random.pick([20, 20, 200, 1_500, 4_000, 12_000]);
  const pieces: Piece[] = [];
  for (let count = random.integer(1, 8); count > 0; count -= 1) {
    const tokens = count === 1 ? left : Math.floor(left * random.next() * 0.5);
    left -= tokens;
    pieces.push({ afterMs: random.next() * gapMs, tokens });
  }
  const ending = random.pick(["success", "success", "success", "failure", "client_disconnect"] as const);
  const lost = random.chance(0.1) ? random.integer(1, 3) : 0;
  const lostAttempts = Array.from({ length: lost }, () => random.integer(1, 500));
  return {
    hold: BigInt(hold),
    pieces,
    ending,
    extendBy: BigInt(extendBy),
    lostAttempts,
    isCapped: random.chance(0.5),
  };
}

function planFault(
  random: Random,
  durationMs: number,
  nodes: number,
  organizations: readonly OrganizationPlan[],
  workers: number,
): FaultStep {
  const atMs = random.next() * durationMs;
  const node = random.integer(0, nodes - 1);
  const organization = random.integer(0, organizations.length - 1);
  const fault = random.next();
  if (fault < 0.32) {
    const of = random.pick(["process", "process", "machine", "machine", "machine", "disk"] as const);
    return { kind: "kill", atMs, node, of, backAfterMs: random.pick([200, 5_000, 45_000, WHOLE_RUN_MS]) };
  }
  if (fault < 0.4) return { kind: "restart", atMs, node };
  if (fault < 0.5) return { kind: "freeze", atMs, node, forMs: random.pick([1_000, 15_000, 40_000, 120_000]) };
  if (fault < 0.6) return { kind: "cut", atMs, node, forMs: random.pick([500, 5_000, 40_000, 90_000]) };
  if (fault < 0.66)
    return { kind: "set-clock", atMs, node, byMs: random.pick([-3_600_000, -30_000, 30_000, 3_600_000]) };
  if (fault < 0.7) return { kind: "ledger-down", atMs, forMs: random.pick([500, 10_000, 60_000]) };
  if (fault < 0.73) {
    // The restored state is sometimes a copy that lacks the most recent changes, like a replica, and sometimes an older
    // backup.
    const ageMs = random.chance(0.5) ? random.next() * 2_000 : random.next() * atMs;
    const backUpAtMs = Math.max(0, atMs - ageMs);
    return { kind: "restore", atMs, backUpAtMs, forMs: random.pick([50, 1_000, 20_000]) };
  }
  if (fault < 0.79) return { kind: "fence", atMs, node };
  if (fault < 0.82) return { kind: "budget", atMs, organization, amount: BigInt(random.pick([0, 1_000, 50_000])) };
  if (fault < 0.91 || workers === 0) {
    const entry = random.pick(["purchase", "purchase", "grant", "refund", "adjustment"] as const);
    const amount = BigInt(random.pick([100, 2_000, 100_000]));
    return {
      kind: "entry",
      atMs,
      organization,
      entry,
      amount: entry === "adjustment" && random.chance(0.5) ? -amount : amount,
    };
  }
  if (fault < 0.94)
    return {
      kind: "kill-worker",
      atMs,
      worker: random.integer(0, workers - 1),
      backAfterMs: random.pick([500, 20_000]),
    };
  return random.chance(0.5) ? { kind: "erase-log", atMs } : { kind: "repeat-log", atMs };
}
