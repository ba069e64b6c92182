import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Takes back what is left of grants that ended a quarter of an hour before, and returns how many that were. */
export async function expireGrants(db: Database, now: Date): Promise<number> {
  let expired = 0;
  // A call takes a part of them, so that no lock is held for long.
  for (;;) {
    const { rows } = await sql<{ count: number }>`select expire_grants(${now}::timestamptz) as count`.execute(db);
    const count = rows[0]?.count ?? 0;
    if (count === 0) return expired;
    expired += count;
  }
}
