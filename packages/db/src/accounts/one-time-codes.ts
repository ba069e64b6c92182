import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

interface TotpState {
  /** Encrypted; null if the user has no secret. */
  readonly secret: string | null;
  readonly isConfirmed: boolean;
}

/** Reads a user's TOTP state in an unauthenticated transaction. */
export async function readTotp(transaction: TenantTransaction, userId: number): Promise<TotpState> {
  const row = await transaction
    .selectFrom("user_credentials")
    .select(["totp_secret", "totp_confirmed_at"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return { secret: row?.totp_secret ?? null, isConfirmed: row !== undefined && row.totp_confirmed_at !== null };
}

/** Stores a secret that takes effect once it is confirmed with a code. Returns false if TOTP is already enabled. */
export async function proposeTotp(transaction: TenantTransaction, userId: number, secret: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("user_credentials")
    .set({ totp_secret: secret, totp_last_step: null })
    .where("user_id", "=", userId)
    .where("totp_confirmed_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Enables TOTP with the secret that was read. Returns false if another secret was stored in the meantime. */
export async function confirmTotp(
  transaction: TenantTransaction,
  userId: number,
  confirmed: { readonly secret: string; readonly step: number; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("user_credentials")
    .set({ totp_confirmed_at: confirmed.now, totp_last_step: BigInt(confirmed.step) })
    .where("user_id", "=", userId)
    .where("totp_secret", "=", confirmed.secret)
    .where("totp_confirmed_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Disables TOTP. Returns false if it was not enabled. */
export async function removeTotp(transaction: TenantTransaction, userId: number): Promise<boolean> {
  const { rows } = await sql`
    update user_credentials c set totp_secret = null, totp_confirmed_at = null, totp_last_step = null
    where c.user_id = ${userId} and c.totp_confirmed_at is not null returning c.user_id`.execute(transaction);
  return rows.length > 0;
}

/** Marks the code of a time step as used. Returns false if this code or a later one was already used. */
export async function useTotpStep(transaction: TenantTransaction, userId: number, step: number): Promise<boolean> {
  const { rows } = await sql`
    update user_credentials set totp_last_step = ${step}
    where user_id = ${userId} and coalesce(totp_last_step, -1) < ${step} returning user_id`.execute(transaction);
  return rows.length > 0;
}
