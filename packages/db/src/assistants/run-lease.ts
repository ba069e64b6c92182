import type { RunStatus } from "@tollgate/domain/assistants/run-machine.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Access } from "./access.ts";
import type { ThreadRow } from "./open-rows.ts";
import { type LockedRun, lockRun } from "./runs.ts";
import type { Sealer } from "./sealed-record.ts";
import { lockThread } from "./threads.ts";

/** The right to work on a run. The lease is valid while its number equals the run's lease number. */
export interface Lease {
  readonly runId: string;
  readonly threadId: string;
  readonly number: number;
}

/** Time without renewal after which the worker that holds a lease counts as dead. */
export const LEASE_MS = 30_000;

export interface LeasedRun extends LockedRun {
  readonly thread: ThreadRow;
}

/** Runs work with the thread and the run locked. Returns null if the run no longer exists. */
export function withRun<T>(
  db: Database,
  sealer: Sealer,
  { runId, threadId }: Pick<Lease, "runId" | "threadId">,
  work: (access: Access, held: LeasedRun) => Promise<T>,
): Promise<T | null> {
  return db.transaction().execute(async (transaction) => {
    const thread = await lockThread({ transaction, owner: null }, threadId);
    const locked = thread === null ? null : await lockRun({ transaction, sealer, owner: null }, threadId, runId);
    if (thread === null || locked === null) return null;
    const { key_id: keyId, organization_id: organizationId } = locked.row;
    const access: Access = { transaction, sealer, owner: null, storage: { keyId, organizationId, limits: null } };
    return work(access, { ...locked, thread });
  });
}

/**
 * Like `withRun`, but only for the holder of this lease. Returns null if the lease is lost or the run is not in
 * progress.
 */
export function withLease<T>(
  db: Database,
  sealer: Sealer,
  lease: Lease,
  work: (access: Access, held: LeasedRun) => Promise<T>,
): Promise<T | null> {
  return withRun(db, sealer, lease, async (access, held) => {
    const { lease_number, leased_until, status } = held.row;
    const isWorkedOn = status === "in_progress" || status === "cancelling";
    // A requeued run has no lease and can be canceled while it waits. The previous lease must not apply to it.
    const isHeld = lease_number === lease.number && leased_until !== null;
    return isHeld && isWorkedOn ? work(access, held) : null;
  });
}

/**
 * Renews the leases of all of a process's runs in one statement. Returns each run's status. A run that is missing from
 * the result has ended or belongs to another worker.
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

/** Reads the runs' statuses without renewing their leases, so that a worker notices a cancellation early. */
export async function readStatuses(db: Database, leases: readonly Lease[]): Promise<ReadonlyMap<string, RunStatus>> {
  const { rows } = await sql<{ id: string; status: RunStatus }>`
    select r.id, r.status from thread_runs r
      join unnest(${leases.map(({ runId }) => runId)}::text[], ${leases.map(({ number }) => number)}::integer[])
           as held (id, number) on r.id = held.id and r.lease_number = held.number and r.leased_until is not null
     where r.status in ('in_progress', 'cancelling')`.execute(db);
  return new Map(rows.map(({ id, status }) => [id, status]));
}
