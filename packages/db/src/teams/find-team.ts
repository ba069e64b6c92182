import type { Database } from "../connect.ts";

/** Returns a team and the models it can use, or null. */
export async function findTeam(
  db: Database,
  id: string,
): Promise<{ readonly id: string; readonly models: readonly string[] } | null> {
  const row = await db.selectFrom("teams").select(["id", "models"]).where("id", "=", id).executeTakeFirst();
  return row ?? null;
}
