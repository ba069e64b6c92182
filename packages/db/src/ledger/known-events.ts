import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Returns which of these calls are in the ledger, either settled or parked. */
export async function knownEvents(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`select known_events(${[...ids]}::uuid[]) as id`.execute(db);
  return new Set(rows.map((row) => row.id));
}
