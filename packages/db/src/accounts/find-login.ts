import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** What is known of an email address before its password was checked. */
export interface LoginRecord {
  readonly account: LoginAccount | null;
  /** IP addresses of sessions that were opened lately and not ended. */
  readonly addresses: readonly string[];
}

export interface LoginAccount {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly status: "active" | "disabled";
  readonly isEmailVerified: boolean;
  readonly passwordHash: string;
  readonly passwordChangedAt: Date;
  /** Sealed; null when one-time codes are not switched on. */
  readonly totpSecret: string | null;
}

type Row = { readonly addresses: readonly string[] } & (LoginAccount | { readonly userId: null });

const RECENT_DAYS = 30;
const MAX_ADDRESSES = 100;

/** Reads an email address in one statement, so that a known one takes no longer than an unknown one. */
export async function findLogin(transaction: TenantTransaction, email: string, now: Date): Promise<LoginRecord> {
  const { rows } = await sql<Row>`
    select u.id as "userId", u.email, u.name, u.role, u.status,
      u.email_verified_at is not null as "isEmailVerified", c.password_hash as "passwordHash",
      c.password_changed_at as "passwordChangedAt",
      case when c.totp_confirmed_at is not null then c.totp_secret end as "totpSecret",
      array(select distinct s.ip from sessions s where s.user_id = u.id and s.revoked_at is null and s.ip is not null
        and s.created_at > ${now}::timestamptz - make_interval(days => ${RECENT_DAYS}) limit ${MAX_ADDRESSES}) as addresses
    from (select) asked
    left join (users u join user_credentials c on c.user_id = u.id)
      on u.email = ${email} and u.status <> 'deleted'`.execute(transaction);
  const { addresses, ...account } = rows[0] as Row;
  return { addresses, account: account.userId === null ? null : account };
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
