import type { TenantTransaction } from "../tenancy.ts";

/** Sets an account's password hash in an unauthenticated transaction and invalidates all open reset links. */
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

/** Stores a stronger hash of the same password. */
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
