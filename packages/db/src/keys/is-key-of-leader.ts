import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Whether whoever made the key leads its organization, one of its teams, or the platform, at this moment. */
export async function isKeyOfLeader(db: Database, keyId: string): Promise<boolean> {
  const { rows } = await sql<{ leads: boolean }>`select is_key_of_leader(${keyId}) as leads`.execute(db);
  return rows[0]?.leads === true;
}
