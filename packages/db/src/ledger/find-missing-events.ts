import { sql } from "kysely";
import type { Database } from "../connect.ts";

/**
 * Returns the positions, from 0, of the calls that are not in the ledger, neither settled nor parked. `ids` are call
 * IDs, separated by commas. Most calls are in the ledger, so the answer is short.
 */
export async function findMissingEvents(db: Database, ids: string): Promise<readonly number[]> {
  const list = `{${ids}}`;
  const { rows } = await sql<{ position: number }>`
    select wanted.position::int - 1 as position
      from unnest(${list}::uuid[]) with ordinality as wanted (id, position)
      left join known_events(${list}::uuid[]) as known (id) on known.id = wanted.id
     where known.id is null`.execute(db);
  return rows.map(({ position }) => position);
}
