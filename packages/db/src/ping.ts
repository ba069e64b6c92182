import { sql } from "kysely";
import type { Database } from "./connect.ts";

/** Resolves when the database responds. */
export async function ping(db: Database): Promise<void> {
  await sql`select 1`.execute(db);
}
