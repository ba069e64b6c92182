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

/** Replaces what a person chose. */
export async function keepPreferences(
  transaction: TenantTransaction,
  userId: number,
  preferences: Record<string, unknown>,
  now: Date,
): Promise<void> {
  const values = { preferences, updated_at: now };
  await transaction
    .insertInto("user_preferences")
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}
