import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export type TokenPurpose = "reset_password" | "verify_email";

/** Of links that nobody asked for a mailbox must not fill up. */
const MAX_LINKS_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

export interface NewUserToken {
  readonly digest: Buffer;
  readonly email: string;
  readonly purpose: TokenPurpose;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Adds a link for the active account with this address; false when there is none, or it got enough of them. */
export async function addUserToken(transaction: TenantTransaction, token: NewUserToken): Promise<boolean> {
  const hourAgo = new Date(token.now.getTime() - HOUR_MS);
  const { numAffectedRows } = await sql`
    insert into user_tokens (digest, user_id, purpose, expires_at, created_at)
    select ${token.digest}, u.id, ${token.purpose}, ${token.expiresAt}, ${token.now} from users u
    where u.email = ${token.email} and u.status = 'active' and (
      select count(*) from user_tokens t
      where t.user_id = u.id and t.purpose = ${token.purpose} and t.created_at > ${hourAgo}
    ) < ${MAX_LINKS_PER_HOUR}`.execute(transaction);
  return (numAffectedRows ?? 0n) > 0n;
}

export interface TokenOwner {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly hasTotp: boolean;
}

/** Whose link it is, while it still leads somewhere. */
export async function findUserToken(
  transaction: TenantTransaction,
  digest: Buffer,
  purpose: TokenPurpose,
  now: Date,
): Promise<TokenOwner | null> {
  const row = await transaction
    .selectFrom("user_tokens as t")
    .innerJoin("users as u", "u.id", "t.user_id")
    .innerJoin("user_credentials as c", "c.user_id", "u.id")
    .select(["u.id as userId", "u.email", "u.name", "u.role"])
    .select(sql<boolean>`c.totp_confirmed_at is not null`.as("hasTotp"))
    .where("t.digest", "=", digest)
    .where("t.purpose", "=", purpose)
    .where("t.used_at", "is", null)
    .where("t.expires_at", ">", now)
    .where("u.status", "=", "active")
    .executeTakeFirst();
  return (row as TokenOwner | undefined) ?? null;
}

/** Uses a link up. Of two who follow it together one gets its owner and the other null. */
export async function useUserToken(
  transaction: TenantTransaction,
  digest: Buffer,
  purpose: TokenPurpose,
  now: Date,
): Promise<TokenOwner | null> {
  const owner = await findUserToken(transaction, digest, purpose, now);
  if (owner === null) return null;
  const { numUpdatedRows } = await transaction
    .updateTable("user_tokens")
    .set({ used_at: now })
    .where("digest", "=", digest)
    .where("used_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? owner : null;
}

/** Notes that the account's address is its owner's. */
export async function markEmailVerified(transaction: TenantTransaction, userId: number, now: Date): Promise<void> {
  await transaction
    .updateTable("users")
    .set({ email_verified_at: now, updated_at: now })
    .where("id", "=", userId)
    .where("email_verified_at", "is", null)
    .execute();
}
