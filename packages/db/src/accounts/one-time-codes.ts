import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface TotpState {
  /** Sealed; null when there is none. */
  readonly secret: string | null;
  readonly isConfirmed: boolean;
}

/** What is stored of a person's one-time codes, at the door. */
export async function readTotp(transaction: TenantTransaction, userId: number): Promise<TotpState> {
  const row = await transaction
    .selectFrom("user_credentials")
    .select(["totp_secret", "totp_confirmed_at"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return { secret: row?.totp_secret ?? null, isConfirmed: row !== undefined && row.totp_confirmed_at !== null };
}

/** Keeps a secret that counts once a code of it was shown. False when codes are switched on already. */
export async function proposeTotp(transaction: TenantTransaction, userId: number, secret: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("user_credentials")
    .set({ totp_secret: secret, totp_last_step: null })
    .where("user_id", "=", userId)
    .where("totp_confirmed_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Switches codes on with the secret that was read. False when another one was proposed meanwhile. */
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

/** Switches codes off; false when they were not on. */
export async function removeTotp(transaction: TenantTransaction, userId: number): Promise<boolean> {
  const { rows } = await sql`
    update user_credentials c set totp_secret = null, totp_confirmed_at = null, totp_last_step = null
    where c.user_id = ${userId} and c.totp_confirmed_at is not null returning c.user_id`.execute(transaction);
  return rows.length > 0;
}

/** Uses the code of a step up; false when it, or a later one, was used before. */
export async function useTotpStep(transaction: TenantTransaction, userId: number, step: number): Promise<boolean> {
  const { rows } = await sql`
    update user_credentials set totp_last_step = ${step}
    where user_id = ${userId} and coalesce(totp_last_step, -1) < ${step} returning user_id`.execute(transaction);
  return rows.length > 0;
}
