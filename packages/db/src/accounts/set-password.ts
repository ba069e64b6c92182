import type { TenantTransaction } from "../tenancy.ts";

/** Sets the password of an account at the door, by its hash. Links that could set it again lead nowhere from now on. */
export async function setPassword(
  transaction: TenantTransaction,
  userId: number,
  passwordHash: string,
  now: Date,
): Promise<void> {
  await transaction
    .insertInto("user_credentials")
    .values({ user_id: userId, password_hash: passwordHash, password_changed_at: now })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet({ password_hash: passwordHash, password_changed_at: now }),
    )
    .execute();
  await transaction
    .deleteFrom("user_tokens")
    .where("user_id", "=", userId)
    .where("purpose", "=", "reset_password")
    .execute();
}

/** Keeps the same password under a stronger hash. */
export async function replaceHash(
  transaction: TenantTransaction,
  userId: number,
  oldHash: string,
  newHash: string,
): Promise<void> {
  await transaction
    .updateTable("user_credentials")
    .set({ password_hash: newHash })
    .where("user_id", "=", userId)
    .where("password_hash", "=", oldHash)
    .execute();
}
