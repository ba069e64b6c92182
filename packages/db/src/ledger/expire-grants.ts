import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Takes back the remainder of grants that expired at least 15 minutes ago, and returns the number of grants. */
export async function expireGrants(db: Database, now: Date): Promise<number> {
  let expired = 0;
  // Each call processes one batch, so that locks are held only briefly.
  for (;;) {
    const { rows } = await sql<{ count: number }>`select expire_grants(${now}::timestamptz) as count`.execute(db);
    const count = rows[0]?.count ?? 0;
    if (count === 0) return expired;
    expired += count;
  }
}
