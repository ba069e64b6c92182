import { sql } from "kysely";
import type { Database } from "../../connect.ts";

/** A place outside of the database that gets all checkpoints. */
export interface CheckpointTarget {
  readonly kind: "folder" | "webhook";
  /** The folder or URL. A new one gets every checkpoint that is still in the database. */
  readonly target: string;
}

export interface CheckpointSink extends CheckpointTarget {
  /** Throws if the sink doesn't have the checkpoint afterwards. */
  deliver(checkpoint: StoredCheckpoint): Promise<void>;
}

/** A checkpoint as it is delivered. */
export interface StoredCheckpoint {
  readonly number: number;
  readonly content: string;
  /** True for the first checkpoint that this sink gets. */
  readonly isFirst: boolean;
}

/** Checkpoints that were deleted although a sink doesn't have them. */
interface DroppedCheckpoints {
  readonly sink: CheckpointTarget["kind"];
  readonly count: number;
}

interface WaitingCheckpoint extends StoredCheckpoint {
  /** True if the sink doesn't get the checkpoint before this one, because it was deleted. */
  readonly followsDropped: boolean;
}

/** Days for which delivered checkpoints stay in the database. */
export const KEPT_DAYS = 30;
/** Days for which a sink can refuse a checkpoint before it is deleted. */
const MAX_REFUSED_DAYS = 90;
const BATCH = 100;
// A run that delivers a long backlog ends early, so that a worker can stop.
const RUN_LIMIT_MS = 20_000;

/** Reports whether a sink is registered, so that sinks can be removed when checkpoints are turned off. */
export async function hasSinks(db: Database): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select exists (select from checkpoint_sinks) as has`.execute(db);
  return rows[0]?.has === true;
}

/**
 * Registers the configured sinks, and removes all others. If one is new, the next checkpoint records every chain, so
 * that the sink also covers the chains that don't grow.
 */
export async function registerSinks(db: Database, sinks: readonly CheckpointTarget[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const configured = JSON.stringify(sinks.map(({ kind, target }) => ({ sink: kind, target })));
    await sql`
      delete from checkpoint_sinks where (sink, target) not in (
        select sink, target from json_to_recordset(${configured}::json) as configured (sink text, target text)
      )`.execute(transaction);
    const { rows } = await sql`
      insert into checkpoint_sinks (sink, target, first_number, delivered_through)
      select sink, target, first, first - 1
      from json_to_recordset(${configured}::json) as configured (sink text, target text),
        (select coalesce(min(number), 1) as first from ledger_checkpoints) as stored
      on conflict (sink) do nothing
      returning sink`.execute(transaction);
    if (rows.length > 0) await sql`delete from checkpointed_chains`.execute(transaction);
  });
}

/** Reports whether a sink lacks a checkpoint. */
export async function hasUndelivered(db: Database): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from ledger_checkpoints where number > (select min(delivered_through) from checkpoint_sinks)
    ) as has`.execute(db);
  return rows[0]?.has === true;
}

/**
 * Delivers the checkpoints that a registered sink doesn't have yet, in order, for at most about 20 seconds. If a delivery
 * throws, the failure is counted, the error is thrown, and the next call continues with the same checkpoint.
 */
export async function deliverCheckpoints(db: Database, sink: CheckpointSink): Promise<number> {
  const endAtMs = performance.now() + RUN_LIMIT_MS;
  let delivered = 0;
  for (;;) {
    const waiting = await listWaiting(db, sink);
    for (const checkpoint of waiting) {
      try {
        await sink.deliver(checkpoint);
      } catch (error) {
        await recordFailure(db, sink);
        throw error;
      }
      await recordDelivery(db, sink, checkpoint);
      delivered += 1;
      if (performance.now() > endAtMs) return delivered;
    }
    if (waiting.length < BATCH) return delivered;
  }
}

/**
 * Deletes checkpoints of more than a month ago that each sink has, or has refused for 90 days, so that a sink that always
 * fails doesn't fill the database. Returns the sinks that don't get some of them. The last checkpoint stays, because the
 * next refers to it.
 */
export async function pruneCheckpoints(db: Database): Promise<readonly DroppedCheckpoints[]> {
  // Failures of 90 days count, not the age of a checkpoint, because a worker may have been stopped for months.
  const { rows } = await sql<{ sink: CheckpointTarget["kind"]; count: bigint }>`
    with deleted as (
      delete from ledger_checkpoints checkpoint
      where created_at < now() - make_interval(days => ${KEPT_DAYS})
        and number < (select max(number) from ledger_checkpoints)
        and not exists (
          select from checkpoint_sinks where delivered_through < checkpoint.number
            and (
              failing_since < now() - make_interval(days => ${MAX_REFUSED_DAYS})
              and failed_at >= checkpoint.created_at + make_interval(days => ${MAX_REFUSED_DAYS})
            ) is not true
        )
      returning number
    ), missed as (
      select sink, count(*) as count, max(number) as last
      from checkpoint_sinks join deleted on number > delivered_through
      group by sink
    )
    update checkpoint_sinks sink set dropped = dropped + missed.count, dropped_through = missed.last
    from missed where sink.sink = missed.sink
    returning sink.sink, missed.count`.execute(db);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

async function listWaiting(db: Database, { kind, target }: CheckpointTarget): Promise<readonly WaitingCheckpoint[]> {
  const { rows } = await sql<Omit<WaitingCheckpoint, "number"> & { number: bigint }>`
    select number, content, before < first_number as "isFirst", before + 1 < number as "followsDropped"
    from (
      select number, content, first_number, coalesce(lag(number) over (order by number), delivered_through) as before
      from checkpoint_sinks join ledger_checkpoints on number > delivered_through
      where sink = ${kind} and target = ${target}
      order by number
      limit ${BATCH}
    ) as waiting
    order by number`.execute(db);
  return rows.map((row) => ({ ...row, number: Number(row.number) }));
}

async function recordDelivery(db: Database, { kind, target }: CheckpointTarget, checkpoint: WaitingCheckpoint) {
  // The sink may lack the end of a chain that did not grow since, so the next checkpoint records every chain.
  if (checkpoint.followsDropped) await sql`delete from checkpointed_chains`.execute(db);
  await sql`
    update checkpoint_sinks
    set delivered_through = greatest(delivered_through, ${checkpoint.number}), failed_at = null, failing_since = null
    where sink = ${kind} and target = ${target}`.execute(db);
}

async function recordFailure(db: Database, { kind, target }: CheckpointTarget): Promise<void> {
  await sql`
    update checkpoint_sinks
    set failures = failures + 1, failed_at = now(), failing_since = coalesce(failing_since, now())
    where sink = ${kind} and target = ${target}`.execute(db);
}
