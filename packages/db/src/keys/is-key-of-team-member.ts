import { sql } from "kysely";
import type { Database } from "../connect.ts";

/** Reports whether the key's creator is currently a member of the team, or an administrator of its organization. */
export async function isKeyOfTeamMember(db: Database, keyId: string, teamId: string): Promise<boolean> {
  const { rows } = await sql<{ belongs: boolean }>`
    select is_key_of_team_member(${keyId}, ${teamId}) as belongs`.execute(db);
  return rows[0]?.belongs === true;
}
