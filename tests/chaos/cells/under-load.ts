import { awaitSettled } from "../books/await-settled.ts";
import { checkPostings } from "../books/check-postings.ts";
import { reconcile } from "../books/reconcile.ts";
import { verifyBooks } from "../books/verify-books.ts";
import type { CellContext, CellResult } from "../cell.ts";
import type { CallLog } from "../load/call-log.ts";
import { Load } from "../load/load.ts";
import { planCall } from "../load/plan-calls.ts";
import type { Stage } from "../stage/stage.ts";
import { feedThePoor } from "../stage/tenants.ts";
import { LOOSEST_ADMISSION } from "../stage/tollgate.ts";

/** What a cell expects of the calls that run while it breaks things. */
export interface Expectation {
  /** Part of all calls that may fail while something is broken; 0: none, whatever is broken. */
  readonly mostFailed: number;
  /** How long after a fault calls may still fail because of it. */
  readonly recoveryMs: number;
  /** How long the books may take to have everything once the load has ended. */
  readonly settleLimitMs?: number;
  readonly longShare?: number;
  /** Part of the usual rate, for faults that leave less to serve with. */
  readonly rateFactor?: number;
}

const SETTLE_LIMIT_MS = 60_000;
const WARM_UP_MS = 1_000;
/** Beyond this part of calls that the load generator could not send, a run says too little. */
const MAX_UNSENT = 0.5;

/** Runs the standard load while faults happen, then waits until the books have everything and compares. */
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

/** Begins the standard load; whoever called ends it. */
export async function startLoad(stage: Stage, context: CellContext, { longShare, rateFactor }: Expectation) {
  await feedThePoor(stage.platform, stage.tenants);
  const mix = { tenants: stage.tenants, longShare: longShare ?? 0 };
  return new Load({
    url: () => stage.tollgate.url,
    rate: context.rate * (rateFactor ?? 1),
    plan: (index) => planCall(context.random, mix, `${context.prefix}${String(index).padStart(6, "0")}`),
  });
}

/** Waits for the books and compares them with what clients saw and what was delivered. */
export async function judge(
  stage: Stage,
  context: CellContext,
  expectation: Expectation,
  logs: readonly CallLog[],
  extra: readonly string[] = [],
): Promise<CellResult> {
  const { prefix, schedule } = context;
  const limitMs = expectation.settleLimitMs ?? SETTLE_LIMIT_MS;
  const { rows, settledMs } = await awaitSettled(stage.books, logs, prefix, limitMs);
  const records = stage.upstream.readRecords(prefix);
  const calls = reconcile({ logs, records, rows, schedule, recoveryMs: expectation.recoveryMs });
  const postings = await checkPostings(stage.books, firstOf(logs));
  const reckoning = { ...calls, lost: calls.lost + postings.lost, doubled: calls.doubled + postings.doubled };
  const { reclaimAfterSeconds } = stage.tollgate.settings;
  const books = await verifyBooks(stage.books, { admission: LOOSEST_ADMISSION, reclaimAfterSeconds });
  const problems = [...extra, ...books.problems];
  if (settledMs === null) problems.push(`the books did not have everything after ${limitMs / 1_000} s`);
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
  return { reckoning, books, settledMs, overspendNano: books.overspendNano, problems };
}

const pauseMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** When the first of these calls was sent. There may be more of them than a function takes arguments. */
function firstOf(logs: readonly CallLog[]): number {
  return logs.reduce((first, { sentAtMs }) => Math.min(first, sentAtMs), Date.now());
}
