import { sql } from "kysely";
import type { Database } from "../connect.ts";

const BATCH = 100;

/**
 * Deletes threads without activity for this many days, including their contents, and returns the number of deleted
 * threads.
 */
export async function deleteOldThreads(db: Database, days: number): Promise<number> {
  let total = 0;
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      select id from threads where touched_at < now() - ${days} * interval '1 day' order by touched_at limit ${BATCH}`.execute(
      db,
    );
    const ids = rows.map(({ id }) => id);
    const { numAffectedRows = 0n } = await sql`
      with gone as (delete from run_events where run_id in (select id from thread_runs where thread_id = any(${ids})))
      delete from threads where id = any(${ids}) and touched_at < now() - ${days} * interval '1 day'`.execute(db);
    total += Number(numAffectedRows);
    if (ids.length < BATCH) return total;
  }
}
