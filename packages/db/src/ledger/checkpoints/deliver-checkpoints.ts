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

/** Days for which delivered checkpoints stay in the database. */
export const KEPT_DAYS = 30;
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
      await recordDelivery(db, sink, checkpoint.number);
      delivered += 1;
      if (performance.now() > endAtMs) return delivered;
    }
    if (waiting.length < BATCH) return delivered;
  }
}

/** Deletes checkpoints that all sinks have had for a month. The last one stays, because the next refers to it. */
export async function pruneCheckpoints(db: Database): Promise<void> {
  await sql`
    delete from ledger_checkpoints
    where created_at < now() - make_interval(days => ${KEPT_DAYS})
      and number < (select max(number) from ledger_checkpoints)
      and number <= (select min(delivered_through) from checkpoint_sinks)`.execute(db);
}

async function listWaiting(db: Database, { kind, target }: CheckpointTarget): Promise<readonly StoredCheckpoint[]> {
  const { rows } = await sql<{ number: bigint; content: string; isFirst: boolean }>`
    select number, content, number = first_number as "isFirst"
    from checkpoint_sinks join ledger_checkpoints on number > delivered_through
    where sink = ${kind} and target = ${target}
    order by number
    limit ${BATCH}`.execute(db);
  return rows.map((row) => ({ ...row, number: Number(row.number) }));
}

async function recordDelivery(db: Database, { kind, target }: CheckpointTarget, number: number): Promise<void> {
  await sql`
    update checkpoint_sinks set delivered_through = greatest(delivered_through, ${number}), failed_at = null
    where sink = ${kind} and target = ${target}`.execute(db);
}

async function recordFailure(db: Database, { kind, target }: CheckpointTarget): Promise<void> {
  await sql`
    update checkpoint_sinks set failures = failures + 1, failed_at = now()
    where sink = ${kind} and target = ${target}`.execute(db);
}
