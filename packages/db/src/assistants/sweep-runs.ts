import type { RunFields } from "@tollgate/domain/assistants/records.ts";
import { changeRun } from "@tollgate/domain/assistants/run-machine.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Access } from "./access.ts";
import { commandRun } from "./command-run.ts";
import { deleteOldEvents, oldEvents } from "./run-events.ts";
import { type LeasedRun, withRun } from "./run-lease.ts";
import { requeue } from "./run-work.ts";
import type { Sealer } from "./sealed-record.ts";
import { endStartedTurns, recentUnsettledTurns, settleAllTurns } from "./turns.ts";

interface SweptRuns {
  readonly requeued: number;
  readonly failed: number;
  readonly expired: number;
  readonly cancelled: number;
}

const MAX_AT_ONCE = 200;
const WORKERS_LOST: RunFields["lastError"] = {
  code: "server_error",
  message: "The run failed because it was interrupted more than once.",
};

const isOverdue = sql`
  status in ('queued', 'in_progress', 'requires_action', 'cancelling')
    and (expires_at <= clock_timestamp() or cancel_by <= clock_timestamp()
      or status in ('in_progress', 'cancelling') and coalesce(leased_until, '-infinity') < clock_timestamp())`;

/** Reports whether `sweepRuns` would find anything to do. */
export async function hasRunsToSweep(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from thread_runs where ${isOverdue})
        or exists (${recentUnsettledTurns})
        or exists (${oldEvents}) as found`.execute(db);
  return rows[0]?.found === true;
}

/** Recovers runs with dead workers or missed deadlines. Any worker can call this function at any time. */
export async function sweepRuns(db: Database, sealer: Sealer): Promise<SweptRuns> {
  const swept = { requeued: 0, failed: 0, expired: 0, cancelled: 0 };
  const { rows } = await sql<{ id: string; thread_id: string }>`
    select id, thread_id from thread_runs where ${isOverdue} limit ${MAX_AT_ONCE}`.execute(db);
  for (const { id: runId, thread_id: threadId } of rows) {
    const outcome = await withRun(db, sealer, { runId, threadId }, sweepRun);
    if (outcome !== null) swept[outcome] += 1;
  }
  await settleAllTurns(db);
  await deleteOldEvents(db);
  return swept;
}

/**
 * Rechecks a run under the lock, because the worker may have renewed its lease, or another sweep may have handled the
 * run.
 */
async function sweepRun(access: Access, held: LeasedRun): Promise<keyof SweptRuns | null> {
  const { leased_until, id } = held.row;
  const isSilent = (leased_until?.getTime() ?? 0) < held.nowMs;
  const isDue = changeRun(held.run.state, { kind: "tick" }, held.nowMs).kind === "changed";
  if (!isDue && !isSilent) return null;
  const change = isDue ? null : changeRun(held.run.state, { kind: "orphan" }, held.nowMs);
  if (change !== null && change.kind !== "changed") return null;
  await endStartedTurns(access, id);
  if (change?.run.status === "queued") {
    await requeue(access, held, change.run);
    return "requeued";
  }
  const { run } = await commandRun(
    access,
    held,
    { kind: isDue ? "tick" : "orphan" },
    { fields: { lastError: WORKERS_LOST } },
  );
  return run.state.status as "failed" | "expired" | "cancelled";
}
