import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** An event that could not be settled. */
interface ParkedEvent {
  readonly id: string;
  readonly organizationId: string | null;
  readonly reason: string;
  readonly parkedAt: Date;
}

/** Lists parked events that are awaiting review, oldest first. */
export async function listParkedEvents(db: Database, limit: number): Promise<readonly ParkedEvent[]> {
  const { rows } = await sql<ParkedEvent>`
    select id, organization_id as "organizationId", reason, parked_at as "parkedAt"
    from parked_events
    where redriven_at is null
    order by parked_at, id
    limit ${limit}`.execute(db);
  return rows;
}
