import { sql } from "kysely";
import type { Database } from "./connect.ts";

/**
 * Runs the work unless someone else is doing the same, in this database, under this name; says whether it ran. The pool
 * needs one connection beside those of the work, which holds the lock.
 */
export async function runAlone(db: Database, name: string, work: () => Promise<void>): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ isLocked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`tollgate:${name}`}, 0)) as "isLocked"`.execute(transaction);
    if (rows[0]?.isLocked !== true) return false;
    await work();
    return true;
  });
}
