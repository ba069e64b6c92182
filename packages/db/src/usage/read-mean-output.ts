import { sql } from "kysely";
import type { Database } from "../connect.ts";

/**
 * Returns the average number of output tokens of an organization's calls to a model in the last seven days, or null if
 * there are no such calls.
 */
export async function readMeanOutput(db: Database, organizationId: string, group: string): Promise<number | null> {
  const { rows } = await sql<{ mean: number | null }>`
    select mean_output(${organizationId}, ${group}) as mean`.execute(db);
  return rows[0]?.mean ?? null;
}
