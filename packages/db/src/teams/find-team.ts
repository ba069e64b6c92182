import type { Database } from "../connect.ts";

/** A team and the models it may use, or null when there is none. */
export async function findTeam(
  db: Database,
  id: string,
): Promise<{ readonly id: string; readonly models: readonly string[] } | null> {
  const row = await db.selectFrom("teams").select(["id", "models"]).where("id", "=", id).executeTakeFirst();
  return row ?? null;
}
