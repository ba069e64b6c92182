import { sql } from "kysely";
import type { Database } from "./connect.ts";

/**
 * Runs the work unless another process is running work with the same name in this database. Reports whether the work
 * ran. The pool needs one extra connection, which holds the lock.
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
