import type { TenantTransaction } from "../tenancy.ts";

/** Reads a user's preferences; empty if none are set. */
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

/**
 * Like `readPreferences`, but locks the preferences for a subsequent change, so that concurrent changes are serialized.
 */
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

/** Replaces a user's preferences, which must be locked. */
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
