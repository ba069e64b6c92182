import { sql } from "kysely";
import type { Database } from "../connect.ts";

/**
 * Reports whether the key's creator is currently an administrator of the platform, the key's organization, or one of
 * that organization's teams.
 */
export async function isKeyOfLeader(db: Database, keyId: string): Promise<boolean> {
  const { rows } = await sql<{ leads: boolean }>`select is_key_of_leader(${keyId}) as leads`.execute(db);
  return rows[0]?.leads === true;
}
