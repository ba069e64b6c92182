import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { redriveEvent } from "./settle-usage.ts";

const MAX_EVENTS = 1_000;

/**
 * Settles events that were parked because their price version was unknown and has been written since. A gateway that
 * cannot reach the ledger charges a substituted model by a price version that it writes later.
 */
export async function redrivePricedEvents(db: Database): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select parked.id
    from parked_events parked
    join price_versions price on price.id = parked.event ->> 'priceVersionId'
    where parked.redriven_at is null and parked.reason = 'unknown price version'
    order by parked.parked_at
    limit ${MAX_EVENTS}`.execute(db);
  for (const { id } of rows) await redriveEvent(db, id);
  return rows.length;
}
