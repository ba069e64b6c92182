import type { TenantTransaction } from "../tenancy.ts";

/** What a person chose so far; empty when they chose nothing. */
export async function readPreferences(
  transaction: TenantTransaction,
  userId: number,
): Promise<Readonly<Record<string, unknown>>> {
  const row = await transaction
    .selectFrom("user_preferences")
    .select("preferences")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.preferences ?? {};
}

/** The same for a change that follows: whoever else changes something waits for it, and then sees it. */
export async function lockPreferences(
  transaction: TenantTransaction,
  userId: number,
): Promise<Readonly<Record<string, unknown>>> {
  await transaction
    .insertInto("user_preferences")
    .values({ user_id: userId, preferences: {} })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { preferences } = await transaction
    .selectFrom("user_preferences")
    .select("preferences")
    .where("user_id", "=", userId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return preferences;
}

/** Replaces what a person chose, once it is locked. */
export async function keepPreferences(
  transaction: TenantTransaction,
  userId: number,
  preferences: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable("user_preferences")
    .set({ preferences, updated_at: now })
    .where("user_id", "=", userId)
    .execute();
}
