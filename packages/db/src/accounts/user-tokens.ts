import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

type TokenPurpose = "reset_password" | "verify_email";

/** Maximum number of links per hour, so that unrequested links can't flood a mailbox. */
const MAX_LINKS_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

interface NewUserToken {
  readonly digest: Buffer;
  readonly email: string;
  readonly purpose: TokenPurpose;
  readonly now: Date;
  readonly expiresAt: Date;
}

/**
 * Adds a link for the active account with this email address. Returns false if there is no such account, or if the
 * hourly limit is reached.
 */
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

interface TokenOwner {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly hasTotp: boolean;
}

/** Returns the owner of a link, or null if the link is no longer valid. */
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

/** Marks a link as used. If two requests race, one gets the owner and the other gets null. */
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

/** Marks the account's email address as verified. */
export async function markEmailVerified(transaction: TenantTransaction, userId: number, now: Date): Promise<void> {
  await transaction
    .updateTable("users")
    .set({ email_verified_at: now, updated_at: now })
    .where("id", "=", userId)
    .where("email_verified_at", "is", null)
    .execute();
}
