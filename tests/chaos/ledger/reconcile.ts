import { type CallLog, tokensSeen } from "../load/call-log.ts";
import type { Schedule } from "../schedule.ts";
import type { UpstreamRecord } from "../upstream/instructions.ts";
import { checkCall } from "./check-call.ts";
import type { UsageRow } from "./usage-rows.ts";

/** Outcome of all calls in a cell. */
export interface Reckoning {
  readonly calls: number;
  readonly whole: number;
  /** Refused calls from organizations without credit. */
  readonly refused: number;
  /** Calls that the load generator itself could not send in time. They are inconclusive, not failures. */
  readonly unsent: number;
  /** Clients that disconnected on purpose. */
  readonly left: number;
  /** Calls that failed during a fault or soon after it. */
  readonly failedByFault: number;
  /** Calls that failed while no fault was active or recent. */
  readonly failedOtherwise: number;
  /** Calls from organizations with almost no credit that failed with 503. */
  readonly lowCredit503: number;
  readonly noTrace: number;
  readonly lost: number;
  readonly doubled: number;
  readonly wrongRefusals: number;
  /** Number of failed calls by symptom. */
  readonly failures: Readonly<Record<string, number>>;
  /** Descriptions of the first few calls with each kind of failure. */
  readonly examples: readonly string[];
}

export interface Evidence {
  readonly logs: readonly CallLog[];
  readonly records: ReadonlyMap<string, readonly UpstreamRecord[]>;
  readonly rows: ReadonlyMap<string, readonly UsageRow[]>;
  readonly schedule: Schedule;
  /** Time after a fault during which failures are still attributed to the fault. */
  readonly recoveryMs: number;
  /** Reports whether a 429 is a consequence of the fault. By default, none is. */
  readonly isCooledDown?: (log: CallLog) => boolean;
}

type Fate =
  | "whole"
  | "unsent"
  | "refused"
  | "left"
  | "lowCredit503"
  | "wrongRefusals"
  | "failedByFault"
  | "failedOtherwise";

const SHOWN_EXAMPLES = 8;
const NO_CREDIT = new Set(["QUOTA_EXCEEDED", "TEAM_BLOCKED", "budget_exceeded"]);
const REFUSALS = new Set([401, 402, 403, 429]);

/** Joins the client logs, the upstream's records, and the ledger. */
export function reconcile(evidence: Evidence): Reckoning {
  const { logs, records, rows, schedule, recoveryMs, isCooledDown = () => false } = evidence;
  const counts: Record<Fate | "noTrace" | "lost" | "doubled", number> = {
    whole: 0,
    unsent: 0,
    refused: 0,
    left: 0,
    lowCredit503: 0,
    wrongRefusals: 0,
    failedByFault: 0,
    failedOtherwise: 0,
    noTrace: 0,
    lost: 0,
    doubled: 0,
  };
  const examples: string[] = [];
  const failures: Record<string, number> = {};
  const show = (kind: string, log: CallLog, why: string) => {
    if (examples.length < SHOWN_EXAMPLES) examples.push(`${kind}: ${describe(log)}: ${why}`);
  };
  for (const log of logs) {
    const { nonce } = log.plan;
    const isExplained = schedule.explains(log.sentAtMs, log.endedAtMs, recoveryMs);
    const fate = fateOf(log, isExplained, isCooledDown);
    counts[fate] += 1;
    if (fate.startsWith("failed")) {
      const seen = `${log.status ?? "no answer"} ${log.code ?? log.trouble}`;
      failures[seen] = (failures[seen] ?? 0) + 1;
    }
    if (fate === "wrongRefusals" || fate === "failedOtherwise") show(fate, log, log.code ?? log.trouble ?? "");
    const verdict = checkCall(log, records.get(nonce) ?? [], rows.get(nonce) ?? []);
    if (verdict.kind === "right") continue;
    if (verdict.kind === "no trace") {
      counts.noTrace += 1;
      continue;
    }
    counts[verdict.kind] += 1;
    show(verdict.kind, log, verdict.why);
  }
  const known = new Set(logs.map(({ plan }) => plan.nonce));
  for (const nonce of rows.keys()) {
    if (known.has(nonce)) continue;
    counts.doubled += 1;
    examples.push(`doubled: a row for ${nonce}, which no client sent`);
  }
  return { calls: logs.length, ...counts, failures, examples };
}

function fateOf(log: CallLog, isExplained: boolean, isCooledDown: (log: CallLog) => boolean): Fate {
  if (log.isComplete) return "whole";
  if (log.isUnsent) return "unsent";
  if (log.plan.hangUp !== null) return "left";
  if (isExplained && isCooledDown(log)) return "failedByFault";
  if (log.status !== null && REFUSALS.has(log.status)) {
    return log.plan.tenant.isPoor && NO_CREDIT.has(log.code ?? "") ? "refused" : "wrongRefusals";
  }
  // The credit that a dead gateway had leased is unavailable until it is reclaimed, so calls from organizations with
  // almost no credit fail with 503.
  if (log.plan.tenant.isPoor && log.status === 503) return "lowCredit503";
  return isExplained ? "failedByFault" : "failedOtherwise";
}

function describe(log: CallLog): string {
  const { plan, status, sentAtMs, endedAtMs } = log;
  const form = `${plan.model} ${plan.isStream ? "stream" : "answer"}`;
  return `${plan.nonce} ${form} status ${status} after ${endedAtMs - sentAtMs} ms, ${tokensSeen(log)} tokens seen`;
}
