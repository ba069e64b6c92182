import type {
  ChargedUsage,
  Message,
  Owner,
  Run,
  RunEvent,
  RunFields,
  Step,
} from "@tollgate/domain/assistants/records.ts";
import { changeRun, type RunCommand } from "@tollgate/domain/assistants/run-machine.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Access } from "./access.ts";
import { commandRun } from "./command-run.ts";
import { countMessages } from "./messages.ts";
import { type MessageRow, toMessage } from "./open-rows.ts";
import { insertEvents } from "./run-events.ts";
import { extendLeases, LEASE_MS, type Lease, type LeasedRun, withLease, withRun } from "./run-lease.ts";
import { saveRun } from "./runs.ts";
import { openRecord, type Sealer } from "./sealed-record.ts";
import { readSteps } from "./steps.ts";
import { endStartedTurns, readTurns, type Turn } from "./turns.ts";
import { upsertMessages, upsertSteps } from "./write-answer.ts";

/** A run that a worker has claimed. */
export interface ClaimedRun {
  readonly lease: Lease;
  readonly run: Run;
  readonly owner: Owner;
  readonly isStreamed: boolean;
  /** Steps of this run, in order, without the unfinished steps of a lost attempt. */
  readonly steps: readonly Step[];
  readonly turns: readonly Turn[];
}

type RunClaim = ({ readonly kind: "taken" } & ClaimedRun) | { readonly kind: "ended"; readonly run: Run };

/**
 * Claims a queued run under a new lease. A run that was canceled while it waited, or is overdue, ends here instead.
 * Returns null if the run isn't queued: it is in progress, waits for the client, has ended, or was deleted.
 *
 * If the connection fails during the commit, the caller can't know whether it claimed the run. To try again, it passes
 * the same `attempts`, which contain the transaction IDs of its earlier calls. A run that one of them claimed is
 * returned under the same lease. Otherwise, the run would wait until the lease expires.
 */
export async function claimRun(
  db: Database,
  sealer: Sealer,
  runId: string,
  attempts: Set<string> = new Set(),
): Promise<RunClaim | null> {
  const found = await db.selectFrom("thread_runs").select("thread_id").where("id", "=", runId).executeTakeFirst();
  if (found === undefined) return null;
  const threadId = found.thread_id;
  return withRun(db, sealer, { runId, threadId }, async (access, held): Promise<RunClaim | null> => {
    const { row } = held;
    const writers = await readWriters(access, runId);
    if (row.status === "in_progress" && attempts.has(writers.last)) {
      const lease: Lease = { runId, threadId, number: row.lease_number };
      await extendLeases(access.transaction, [lease]);
      attempts.add(writers.own);
      return describeClaim(access, held, lease, held.run);
    }
    attempts.add(writers.own);
    // A run that was canceled while it was queued has no lease holder.
    if (row.status === "cancelling" && row.leased_until === null) {
      return { kind: "ended", run: (await commandRun(access, held, { kind: "stop" })).run };
    }
    const lease: Lease = { runId, threadId, number: row.lease_number + 1 };
    const columns = { lease_number: lease.number, leased_until: new Date(held.nowMs + LEASE_MS) };
    const { kind, run } = await commandRun(access, held, { kind: "start" }, { columns });
    if (kind !== "changed") return row.status === "queued" ? { kind: "ended", run } : null;
    await discardLeftovers(access, run);
    await endStartedTurns(access, runId);
    return describeClaim(access, held, lease, run);
  });
}

async function describeClaim(access: Access, { row }: LeasedRun, lease: Lease, run: Run): Promise<RunClaim> {
  const [steps, turns] = [await readSteps(access, run), await readTurns(access, run.id)];
  return { kind: "taken", lease, run, owner: row.owner, isStreamed: row.is_streamed, steps, turns };
}

/** Returns the ID of the transaction that last changed a run, and the ID of this transaction. */
async function readWriters({ transaction }: Access, runId: string): Promise<{ last: string; own: string }> {
  const { rows } = await sql<{ last: string; own: string }>`
    select xmin::text as last, pg_current_xact_id()::xid::text as own
      from thread_runs where id = ${runId}`.execute(transaction);
  return rows[0] as { last: string; own: string };
}

/**
 * Records that a model call is about to be made. Returns false if the lease is lost, in which case the call must not be
 * made. Can be called again if the outcome is unknown, because the label identifies the call.
 */
export async function startTurn(
  db: Database,
  sealer: Sealer,
  lease: Lease,
  { number, attempt, label }: Pick<Turn, "number" | "attempt" | "label">,
): Promise<boolean> {
  const started = await withLease(db, sealer, lease, async (access) => {
    const turns = await readTurns(access, lease.runId);
    if (turns.some((turn) => turn.label === label)) return true;
    await endStartedTurns(access, lease.runId);
    await access.transaction
      .insertInto("run_turns")
      .values({ run_id: lease.runId, number, attempt, call_label: label })
      .execute();
    return true;
  });
  return started ?? false;
}

/** Outcome of a turn. If the outcome is `lost`, only the ledger has the turn's usage. */
interface TurnEnd {
  readonly label: string;
  readonly state: "stored" | "failed" | "lost";
  readonly usage: ChargedUsage | null;
}

export interface WorkToStore {
  readonly turn?: TurnEnd;
  /** Messages and steps are inserted, or replaced if they exist. */
  readonly messages?: readonly Message[];
  readonly steps?: readonly Step[];
  /** Command for the run; if absent, the run continues. */
  readonly command?: RunCommand;
  readonly fields?: Partial<RunFields>;
  /** Events for clients that stream the run, stored in the same transaction as the change. */
  readonly tell?: (run: Run) => readonly RunEvent[];
}

/**
 * Stores a worker's results atomically. If the lease is lost, stores nothing and returns null. The run's status can
 * differ from the command if the run was canceled or is overdue.
 */
export function storeWork(db: Database, sealer: Sealer, lease: Lease, work: WorkToStore): Promise<Run | null> {
  return withLease(db, sealer, lease, async (access, held) => {
    if (work.turn !== undefined) await writeTurnEnd(access, lease.runId, work.turn);
    // When a run ends, close its open calls. Their usage is looked up later.
    if (work.command !== undefined) await endStartedTurns(access, lease.runId);
    await upsertMessages(access, held, work.messages ?? []);
    await upsertSteps(access, held, work.steps ?? []);
    const run = await commandIfAny(access, held, work);
    await insertEvents(access, lease.runId, held.row.owner, work.tell?.(run) ?? []);
    return run;
  });
}

/** Requeues a run because this worker is stopping. This does not count as a failed attempt. */
export async function giveBack(db: Database, sealer: Sealer, lease: Lease): Promise<void> {
  await withLease(db, sealer, lease, async (access, held) => {
    await endStartedTurns(access, lease.runId);
    const { state } = held.run;
    const change = changeRun({ ...state, takeovers: 0 }, { kind: "orphan" }, held.nowMs);
    if (change.kind !== "changed" || change.run.status !== "queued") return;
    await requeue(access, held, { ...change.run, takeovers: state.takeovers });
  });
}

/** Appends events while the run is in progress. Returns false if the lease is lost. */
export function appendEvents(
  db: Database,
  sealer: Sealer,
  lease: Lease,
  owner: Owner,
  events: readonly RunEvent[],
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom("thread_runs")
      .select("id")
      .where("id", "=", lease.runId)
      .where("lease_number", "=", lease.number)
      .where("leased_until", "is not", null)
      .forShare()
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvents({ transaction, sealer }, lease.runId, owner, events);
    return true;
  });
}

/** Reads all of a run's events. */
export async function readRunEvents(db: Database, sealer: Sealer, runId: string): Promise<readonly RunEvent[]> {
  const rows = await db
    .selectFrom("run_events")
    .select("events")
    .where("run_id", "=", runId)
    .orderBy("number")
    .execute();
  return rows.flatMap(({ events }) => openRecord<RunEvent[]>(sealer, runId, events));
}

/**
 * Reads the newest messages of a thread, oldest first, without unfinished messages. Limits their number and their total
 * stored size, but always includes the last message.
 */
export async function readHistory(
  db: Database,
  sealer: Sealer,
  threadId: string,
  { most, mostBytes }: { readonly most: number; readonly mostBytes: number },
): Promise<readonly Message[]> {
  const { rows } = await sql<MessageRow>`
    select * from (
      select newest.*, sum(octet_length(record)) over (order by created_at desc, id desc) as bytes
        from (select * from thread_messages where thread_id = ${threadId}
               order by created_at desc, id desc limit ${most}) as newest
    ) as measured
     where bytes <= ${mostBytes} or bytes = octet_length(record)
     order by created_at, id`.execute(db);
  const messages = rows.map((row) => toMessage(sealer, row));
  return messages.filter(({ fields }) => fields.status !== "in_progress");
}

/** Requeues a run and enqueues a job for it. */
export async function requeue(access: Access, held: LeasedRun, state: Run["state"]): Promise<Run> {
  const columns = { queued_at: new Date(held.nowMs), leased_until: null };
  const run = await saveRun(access, held, { state, columns });
  await sql`select enqueue_run(${run.id})`.execute(access.transaction);
  return run;
}

async function commandIfAny(access: Access, held: LeasedRun, { command, fields = {} }: WorkToStore): Promise<Run> {
  if (command === undefined) return held.run;
  const isWaiting = command.kind === "require_action";
  const columns = isWaiting ? { leased_until: null } : {};
  return (await commandRun(access, held, command, { fields, columns })).run;
}

async function writeTurnEnd({ transaction }: Access, runId: string, { label, state, usage }: TurnEnd): Promise<void> {
  await transaction
    .updateTable("run_turns")
    .set({
      state,
      prompt_tokens: usage === null ? null : BigInt(usage.promptTokens),
      completion_tokens: usage === null ? null : BigInt(usage.completionTokens),
      cost: usage?.cost ?? null,
    })
    .where("run_id", "=", runId)
    .where("call_label", "=", label)
    .execute();
}

/** Deletes the unfinished messages and steps of an attempt whose worker died. The next attempt writes them again. */
async function discardLeftovers(access: Access, run: Run): Promise<void> {
  const { transaction, sealer } = access;
  const rows = await transaction.selectFrom("thread_messages").selectAll().where("run_id", "=", run.id).execute();
  const messages = rows.map((row) => toMessage(sealer, row)).filter(({ fields }) => fields.status === "in_progress");
  const steps = (await readSteps(access, run)).filter(({ fields }) => fields.status === "in_progress");
  for (const { id } of messages) await transaction.deleteFrom("thread_messages").where("id", "=", id).execute();
  if (messages.length > 0) await countMessages(access, run.threadId, -messages.length);
  for (const { id } of steps) await transaction.deleteFrom("run_steps").where("id", "=", id).execute();
}
