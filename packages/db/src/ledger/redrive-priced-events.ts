import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { redriveEvent } from "./settle-usage.ts";

const MAX_EVENTS = 1_000;

/**
 * Settles events that were parked because their price version was unknown but has since been recorded. If a gateway
 * can't reach the ledger, it charges for a substituted model under a price version that it records later.
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
