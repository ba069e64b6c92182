import type { SettleOutcome } from "@tollgate/domain/credit/lease-messages.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { writeEvents } from "./write-events.ts";

const TRIES = 5;
const MAX_PAUSE_MS = 50;

/**
 * Settles each event exactly once, by ID, and returns the outcomes. Parks events that the database rejects and settles
 * all others. Throws connection errors, after which every event can be sent again. Requires a pool, because an invalid
 * event inside the caller's transaction would roll back the caller's other changes.
 */
export async function settleUsage(
  db: Database,
  events: readonly UsageEvent[],
): Promise<ReadonlyMap<string, SettleOutcome>> {
  const outcomes = new Map<string, SettleOutcome>();
  await settle(db, events, outcomes);
  return outcomes;
}

/** Events that can be settled without being decoded first. */
interface SettleableBatch {
  readonly count: number;
  /** Calls `use` with the JSON array that `settle_usage` takes, which is valid until the promise settles. */
  withJson<T>(use: (json: Buffer) => Promise<T>): Promise<T>;
  /** Splits a batch of several events. */
  halve(): readonly [SettleableBatch, SettleableBatch];
}

/** Settles or parks every event of a batch as `settleUsage` does. Returns when the ledger has all of them. */
export async function settleBatch(db: Database, batch: SettleableBatch): Promise<void> {
  if (batch.count === 0) return;
  try {
    await batch.withJson((events) =>
      retryConflicts(() => sql`select count(*) from settle_usage(${events}::json)`.execute(db)),
    );
  } catch (error) {
    if (!isAboutData(error)) throw error;
    if (batch.count === 1) await batch.withJson((event) => park(db, event, (error as Error).message));
    else for (const half of batch.halve()) await settleBatch(db, half);
  }
}

/** Settles a parked event again. Returns null if no parked event has this ID. */
export async function redriveEvent(db: Database, id: string): Promise<SettleOutcome | null> {
  const { rows } = await sql<{ outcome: SettleOutcome | null }>`select redrive_event(${id}::uuid) as outcome`.execute(
    db,
  );
  return rows[0]?.outcome ?? null;
}

async function settle(
  db: Database,
  events: readonly UsageEvent[],
  outcomes: Map<string, SettleOutcome>,
): Promise<void> {
  if (events.length === 0) return;
  try {
    const { rows } = await retryConflicts(() =>
      sql<{ id: string; outcome: SettleOutcome }>`select * from settle_usage(${writeEvents(events)}::json)`.execute(db),
    );
    for (const { id, outcome } of rows) outcomes.set(id, outcome);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    if (events.length === 1) {
      const [event] = events as readonly [UsageEvent];
      outcomes.set(event.id, await park(db, writeEvents([event]), (error as Error).message));
      return;
    }
    // The batch contains an event that the database rejects. Bisecting finds that event and settles the others.
    const middle = events.length >> 1;
    await settle(db, events.slice(0, middle), outcomes);
    await settle(db, events.slice(middle), outcomes);
  }
}

/** Parks the only event of a list. */
async function park(db: Database, events: string | Buffer, reason: string): Promise<SettleOutcome> {
  const { rows } = await retryConflicts(() =>
    sql<{ parked: boolean }>`select park_event((${events}::json -> 0)::jsonb, ${reason}) as parked`.execute(db),
  );
  return rows[0]?.parked === true ? "parked" : "known";
}

/**
 * Retries after serialization failures and deadlocks, because the transaction was rolled back and a retry usually
 * succeeds.
 */
async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isConflict = ["40001", "40P01"].includes(sqlState(error));
      if (!isConflict || attempt === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
    }
  }
}

// Reports whether an error is about values that don't fit their type, violate a constraint, or are too long for an
// index. All other errors concern the server or the connection, so the same events may succeed later.
function isAboutData(error: unknown): boolean {
  return ["22", "23", "54"].includes(sqlState(error).slice(0, 2));
}

function sqlState(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
