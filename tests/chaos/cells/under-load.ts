import type { CellContext, CellResult } from "../cell.ts";
import { awaitSettled } from "../ledger/await-settled.ts";
import { checkPostings } from "../ledger/check-postings.ts";
import { reconcile } from "../ledger/reconcile.ts";
import { verifyLedger } from "../ledger/verify-ledger.ts";
import type { CallLog } from "../load/call-log.ts";
import { Load } from "../load/load.ts";
import { planCall } from "../load/plan-calls.ts";
import type { Stage } from "../stage/stage.ts";
import { feedThePoor } from "../stage/tenants.ts";
import { LOOSEST_ADMISSION } from "../stage/tollgate.ts";

/** Expectations for the calls during a cell's faults. */
export interface Expectation {
  /** Maximum share of calls that can fail during faults; 0 means that every call must succeed. */
  readonly mostFailed: number;
  /** Time after a fault during which calls can still fail because of the fault. */
  readonly recoveryMs: number;
  /** Maximum time from the end of the load until the ledger has every call. */
  readonly settleLimitMs?: number;
  readonly longShare?: number;
  /** Reports whether a 429 is a consequence of the fault. By default, none is. */
  readonly isCooledDown?: (log: CallLog) => boolean;
  /** Factor for the default call rate, for faults that reduce the capacity. */
  readonly rateFactor?: number;
  /** Returns the URL for the next call. Default: the URL of the gateways. */
  readonly url?: () => string;
}

const SETTLE_LIMIT_MS = 60_000;
const WARM_UP_MS = 1_000;
const VERIFY_AGAIN_MS = 1_000;
/** Maximum share of unsent calls. Beyond it, a run is inconclusive. */
const MAX_UNSENT = 0.5;

/**
 * Runs the standard load during faults, waits until the ledger has every call, and then compares it with the client
 * logs and the deliveries.
 */
export async function underLoad(
  stage: Stage,
  context: CellContext,
  expectation: Expectation,
  faults: (until: number, load: Load) => Promise<void>,
): Promise<CellResult> {
  const load = await startLoad(stage, context, expectation);
  const extra: string[] = [];
  try {
    await pauseMs(WARM_UP_MS);
    await faults(performance.now() + context.seconds * 1_000, load);
    await pauseMs(WARM_UP_MS);
  } catch (error) {
    extra.push(`the fault could not be carried out: ${error instanceof Error ? error.message : String(error)}`);
  }
  await load.stop();
  if (load.skipped > 0) extra.push(`${load.skipped} calls were not made, because too many were under way`);
  return judge(stage, context, expectation, load.logs, extra);
}

/** Starts the standard load, which the caller must stop. */
export async function startLoad(stage: Stage, context: CellContext, { longShare, rateFactor, url }: Expectation) {
  await feedThePoor(stage.platform, stage.tenants);
  const mix = { tenants: stage.tenants, longShare: longShare ?? 0 };
  return new Load({
    url: url ?? (() => stage.tollgate.url),
    rate: context.rate * (rateFactor ?? 1),
    plan: (index) => planCall(context.random, mix, `${context.prefix}${String(index).padStart(6, "0")}`),
  });
}

/** Waits for the ledger and compares it with the client logs and the deliveries. */
export async function judge(
  stage: Stage,
  context: CellContext,
  expectation: Expectation,
  logs: readonly CallLog[],
  extra: readonly string[] = [],
): Promise<CellResult> {
  const { prefix, schedule } = context;
  const limitMs = expectation.settleLimitMs ?? SETTLE_LIMIT_MS;
  const { rows, settledMs } = await awaitSettled(stage.ledger, logs, prefix, limitMs);
  const records = stage.upstream.readRecords(prefix);
  const { recoveryMs, isCooledDown } = expectation;
  const calls = reconcile({ logs, records, rows, schedule, recoveryMs, ...(isCooledDown && { isCooledDown }) });
  const postings = await checkPostings(stage.ledger, firstOf(logs));
  const reckoning = { ...calls, lost: calls.lost + postings.lost, doubled: calls.doubled + postings.doubled };
  const { reclaimAfterSeconds } = stage.tollgate.settings;
  const verify = () => verifyLedger(stage.ledger, { admission: LOOSEST_ADMISSION, reclaimAfterSeconds });
  let ledger = await verify();
  // R4 reads the last report of each gateway. After a restore, gateways deliver old calls again, and report this first.
  const untilMs = performance.now() + limitMs;
  while (ledger.failed.length > 0 && ledger.failed.every((id) => id === "R4") && performance.now() < untilMs) {
    await pauseMs(VERIFY_AGAIN_MS);
    ledger = await verify();
  }
  const problems = [...extra, ...ledger.problems];
  if (settledMs === null) problems.push(`the ledger was incomplete after ${limitMs / 1_000} s`);
  if (reckoning.failedOtherwise > 0) {
    problems.push(`${reckoning.failedOtherwise} calls failed although nothing was broken`);
  }
  if (reckoning.unsent > reckoning.calls * MAX_UNSENT) {
    problems.push(`the load generator could not send ${reckoning.unsent} of ${reckoning.calls} calls in time`);
  }
  const allowed = Math.floor(reckoning.calls * expectation.mostFailed);
  if (reckoning.failedByFault > allowed) {
    problems.push(`${reckoning.failedByFault} calls failed, at most ${allowed} may`);
  }
  for (const kind of ["lost", "doubled", "wrongRefusals"] as const) {
    if (reckoning[kind] > 0) problems.push(`${kind}: ${reckoning[kind]}`);
  }
  return { reckoning, ledger, settledMs, overspendNano: ledger.overspendNano, problems };
}

const pauseMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Returns the time of the first call. Uses a loop, because there may be too many calls for function arguments. */
function firstOf(logs: readonly CallLog[]): number {
  return logs.reduce((first, { sentAtMs }) => Math.min(first, sentAtMs), Date.now());
}
