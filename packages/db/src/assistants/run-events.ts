import type { Owner, RunEvent } from "@tollgate/domain/assistants/records.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Access } from "./access.ts";
import { openRecord, sealRecord } from "./sealed-record.ts";

export interface EventBatch {
  readonly number: number;
  readonly events: readonly RunEvent[];
}

const MAX_BATCHES = 200;
/**
 * Event retention, longer than any run waits for tool outputs, so that event numbers never restart while a client may
 * still be streaming the run.
 */
const KEPT_MINUTES = 30;

/** Finds the events that `deleteOldEvents` deletes. */
export const oldEvents = sql`
  select from run_events where created_at < now() - ${KEPT_MINUTES} * interval '1 minute'`;

/** Appends events to a run's event log. Only the lease holder appends, so writers can't conflict. */
export async function insertEvents(
  { transaction, sealer }: Pick<Access, "transaction" | "sealer">,
  runId: string,
  owner: Owner,
  events: readonly RunEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await sql`insert into run_events (run_id, number, owner, events)
    select ${runId}, coalesce(max(number), 0) + 1, ${owner}, ${sealRecord(sealer, runId, events)}
      from run_events where run_id = ${runId}`.execute(transaction);
}

/** Reads a run's events after the given event number, oldest first. */
export async function readEvents(
  { transaction, sealer }: Access,
  runId: string,
  afterNumber: number,
): Promise<readonly EventBatch[]> {
  const rows = await transaction
    .selectFrom("run_events")
    .select(["number", "events"])
    .where("run_id", "=", runId)
    .where("number", ">", afterNumber)
    .orderBy("number")
    .limit(MAX_BATCHES)
    .execute();
  return rows.map(({ number, events }) => ({ number, events: openRecord<RunEvent[]>(sealer, runId, events) }));
}

/** Returns the number of a run's last event batch, or 0 if there is none. */
export async function lastEventNumber({ transaction }: Access, runId: string): Promise<number> {
  const row = await transaction
    .selectFrom("run_events")
    .select((eb) => eb.fn.max("number").as("number"))
    .where("run_id", "=", runId)
    .executeTakeFirst();
  return row?.number ?? 0;
}

/** Deletes events that are too old for any client to still be streaming. */
export async function deleteOldEvents(db: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from run_events where ctid = any (array(
      select ctid from run_events where created_at < now() - ${KEPT_MINUTES} * interval '1 minute' limit 5000))`.execute(
    db,
  );
  return Number(numAffectedRows);
}
