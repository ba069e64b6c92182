import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** How many tokens an organization's answers of a model had on average in the last seven days; null without any. */
export async function readMeanOutput(db: Database, organizationId: string, group: string): Promise<number | null> {
  const { rows } = await sql<{ mean: number | null }>`
    select mean_output(${organizationId}, ${group}) as mean`.execute(db);
  return rows[0]?.mean ?? null;
}
