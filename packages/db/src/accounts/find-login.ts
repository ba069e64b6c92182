import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** What is known of an address at the door: its lock, which every address can have, and its account. */
export interface LoginRecord {
  readonly lockedUntil: Date | null;
  readonly account: LoginAccount | null;
}

export interface LoginAccount {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly status: "active" | "disabled";
  readonly isEmailVerified: boolean;
  readonly passwordHash: string;
  /** Sealed; null when one-time codes are not switched on. */
  readonly totpSecret: string | null;
}

type Row = { readonly lockedUntil: Date | null } & (LoginAccount | { readonly userId: null });

/** Reads an address in one statement, so that a known one takes no longer than an unknown one. */
export async function findLogin(
  transaction: TenantTransaction,
  email: string,
  emailDigest: Buffer,
  now: Date,
): Promise<LoginRecord> {
  const { rows } = await sql<Row>`
    select f.locked_until as "lockedUntil", u.id as "userId", u.email, u.name, u.role, u.status,
      u.email_verified_at is not null as "isEmailVerified", c.password_hash as "passwordHash",
      case when c.totp_confirmed_at is not null then c.totp_secret end as "totpSecret"
    from (select) asked
    left join login_failures f on f.email_digest = ${emailDigest} and f.locked_until > ${now}
    left join (users u join user_credentials c on c.user_id = u.id)
      on u.email = ${email} and u.status <> 'deleted'`.execute(transaction);
  const { lockedUntil, ...account } = rows[0] as Row;
  return { lockedUntil, account: account.userId === null ? null : account };
}

/**
 * Whether the account is still as it was read, and holds it so until this transaction ends: a password that was changed
 * while it was being checked opens no session. Logins of one account take turns here, person first, then credentials.
 */
export async function isLoginCurrent(
  transaction: TenantTransaction,
  { userId, passwordHash, status }: LoginAccount,
): Promise<boolean> {
  const { rows } = await sql`
    select from users u join user_credentials c on c.user_id = u.id
    where u.id = ${userId} and u.status = ${status} and c.password_hash = ${passwordHash}
    for no key update of u, c`.execute(transaction);
  return rows.length > 0;
}
