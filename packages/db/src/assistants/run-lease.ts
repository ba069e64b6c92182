import type { RunStatus } from "@tollgate/domain/assistants/run-machine.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Access } from "./access.ts";
import type { ThreadRow } from "./open-rows.ts";
import { type LockedRun, lockRun } from "./runs.ts";
import type { Sealer } from "./sealed-record.ts";
import { lockThread } from "./threads.ts";

/** The right to work on a run. It is worth something while the run has this number. */
export interface Lease {
  readonly runId: string;
  readonly threadId: string;
  readonly number: number;
}

/** For how long whoever works on a run is believed to live without a sign of it. */
export const LEASE_MS = 30_000;

export interface LeasedRun extends LockedRun {
  readonly thread: ThreadRow;
}

/** Runs the work while thread and run are held; null when there is no such run any more. */
export function withRun<T>(
  db: Database,
  sealer: Sealer,
  { runId, threadId }: Pick<Lease, "runId" | "threadId">,
  work: (access: Access, held: LeasedRun) => Promise<T>,
): Promise<T | null> {
  return db.transaction().execute(async (transaction) => {
    const access: Access = { transaction, sealer, owner: null };
    const thread = await lockThread(access, threadId);
    const locked = thread === null ? null : await lockRun(access, threadId, runId);
    return thread === null || locked === null ? null : work(access, { ...locked, thread });
  });
}

/** The same for whoever holds this lease; null when it is another's, or nobody works on the run any more. */
export function withLease<T>(
  db: Database,
  sealer: Sealer,
  lease: Lease,
  work: (access: Access, held: LeasedRun) => Promise<T>,
): Promise<T | null> {
  return withRun(db, sealer, lease, async (access, held) => {
    const { lease_number, leased_until, status } = held.row;
    const isWorkedOn = status === "in_progress" || status === "cancelling";
    // A run that waits again has no lease, and may be cancelled then: the one before must not count for it.
    const isHeld = lease_number === lease.number && leased_until !== null;
    return isHeld && isWorkedOn ? work(access, held) : null;
  });
}

/**
 * A sign of life for all runs of a process at once. Gives the status of each; one that is not named is another's, or over.
 */
export async function extendLeases(db: Database, leases: readonly Lease[]): Promise<ReadonlyMap<string, RunStatus>> {
  const { rows } = await sql<{ id: string; status: RunStatus }>`
    update thread_runs r set leased_until = clock_timestamp() + ${LEASE_MS} * interval '1 millisecond'
      from unnest(${leases.map(({ runId }) => runId)}::text[], ${leases.map(({ number }) => number)}::integer[])
           as held (id, number)
     where r.id = held.id and r.lease_number = held.number and r.leased_until is not null
       and r.status in ('in_progress', 'cancelling')
    returning r.id, r.status`.execute(db);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** How far the runs are, without a sign of life: whoever was asked to stop wants to know soon. */
export async function readStatuses(db: Database, leases: readonly Lease[]): Promise<ReadonlyMap<string, RunStatus>> {
  const { rows } = await sql<{ id: string; status: RunStatus }>`
    select r.id, r.status from thread_runs r
      join unnest(${leases.map(({ runId }) => runId)}::text[], ${leases.map(({ number }) => number)}::integer[])
           as held (id, number) on r.id = held.id and r.lease_number = held.number and r.leased_until is not null
     where r.status in ('in_progress', 'cancelling')`.execute(db);
  return new Map(rows.map(({ id, status }) => [id, status]));
}
