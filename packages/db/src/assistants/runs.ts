import type { Metadata, Page, PageQuery, Run, RunFields } from "@tollgate/domain/assistants/records.ts";
import { isOpen, type RunState, type RunStatus } from "@tollgate/domain/assistants/run-machine.ts";
import { sql, type Updateable } from "kysely";
import type { ThreadRunsTable } from "../tables.generated.ts";
import { type Access, isOwned } from "./access.ts";
import { listPage } from "./list-page.ts";
import { type RunRow, toRun } from "./open-rows.ts";
import { sealRecord } from "./sealed-record.ts";
import { reserveChange } from "./storage-quota.ts";

/** A run's row, locked until the transaction ends, and the database time, by which leases and runs expire. */
export interface LockedRun {
  readonly row: RunRow;
  readonly run: Run;
  readonly nowMs: number;
}

/** Returns the run, or null if the thread has no such visible run. */
export async function findRun(access: Access, threadId: string, id: string): Promise<Run | null> {
  const row = await access.transaction
    .selectFrom("thread_runs")
    .selectAll()
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .where(isOwned(access))
    .executeTakeFirst();
  return row === undefined ? null : toRun(access.sealer, row);
}

/** Lists one page of a thread's runs. */
export async function listRuns(
  access: Access,
  threadId: string,
  query: PageQuery,
): Promise<Page<Run> | "unknown_cursor"> {
  const condition = sql`thread_id = ${threadId} and ${isOwned(access)}`;
  const page = await listPage<RunRow>(access.transaction, "thread_runs", condition, query);
  if (page === "unknown_cursor") return page;
  return { ...page, items: page.items.map((row) => toRun(access.sealer, row)) };
}

/** Returns the ID of the thread's open run, or null. */
export async function findOpenRun({ transaction }: Access, threadId: string): Promise<string | null> {
  const open: readonly RunStatus[] = ["queued", "in_progress", "requires_action", "cancelling"];
  const row = await transaction
    .selectFrom("thread_runs")
    .select("id")
    .where("thread_id", "=", threadId)
    .where("status", "in", open)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Locks a run. Its thread must be locked first (see `lockThread`), unless the transaction changes only the run. */
export async function lockRun(
  access: Omit<Access, "storage">,
  threadId: string,
  id: string,
): Promise<LockedRun | null> {
  const { rows } = await sql<RunRow & { readonly now: Date }>`
    select *, clock_timestamp() as now from thread_runs
     where id = ${id} and thread_id = ${threadId} and ${isOwned(access)}
       for update`.execute(access.transaction);
  const row = rows[0];
  return row === undefined ? null : { row, run: toRun(access.sealer, row), nowMs: row.now.getTime() };
}

/** Replaces a run's metadata without affecting its worker. */
export async function changeRunMetadata(
  access: Access,
  threadId: string,
  id: string,
  metadata: Metadata,
): Promise<Run | null> {
  const locked = await lockRun(access, threadId, id);
  if (locked === null) return null;
  await reserveChange(access, locked.row, sealRecord(access.sealer, id, { ...locked.run.fields, metadata }));
  return saveRun(access, locked, { fields: { metadata } });
}

export interface RunSave {
  readonly state?: RunState;
  readonly fields?: Partial<RunFields>;
  readonly columns?: Updateable<ThreadRunsTable>;
}

/** Writes the current state of a locked run and notifies its listeners. */
export async function saveRun(
  { transaction, sealer }: Access,
  { row, run }: LockedRun,
  { state = run.state, fields = {}, columns = {} }: RunSave,
): Promise<Run> {
  const merged = withoutStale({ ...run.fields, ...fields }, state.status);
  const saved = await transaction
    .updateTable("thread_runs")
    .set({
      status: state.status,
      started_at: dateOf(state.startedAtMs),
      expires_at: dateOf(state.expiresAtMs),
      ended_at: dateOf(state.endedAtMs),
      cancel_by: dateOf(state.cancelByMs),
      takeovers: state.takeovers,
      record: sealRecord(sealer, row.id, merged),
      ...columns,
    })
    .where("id", "=", row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await sql`select pg_notify('tollgate_run', ${`${row.id} 0`})`.execute(transaction);
  return toRun(sealer, saved);
}

/** Clears fields that are valid only in another status. */
function withoutStale(fields: RunFields, status: RunStatus): RunFields {
  return {
    ...fields,
    required: status === "requires_action" ? fields.required : null,
    lastError: status === "failed" || isOpen(status) ? fields.lastError : null,
    incompleteReason: status === "incomplete" || isOpen(status) ? fields.incompleteReason : null,
  };
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
