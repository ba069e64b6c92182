import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Data stored for an email address, read before the password is checked. */
export interface LoginRecord {
  readonly account: LoginAccount | null;
  /**
   * IP addresses of recent logins whose first session is not revoked. Sessions that another session opened expire with
   * it and add no address, even if it is revoked.
   */
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
  /** Encrypted TOTP secret; null if TOTP is not enabled. */
  readonly totpSecret: string | null;
}

type Row = { readonly addresses: readonly string[] } & (LoginAccount | { readonly userId: null });

const RECENT_DAYS = 30;
const MAX_ADDRESSES = 100;

/**
 * Reads the data for an email address in one statement, so that response times don't reveal which addresses have
 * accounts.
 */
export async function findLogin(transaction: TenantTransaction, email: string, now: Date): Promise<LoginRecord> {
  const { rows } = await sql<Row>`
    select u.id as "userId", u.email, u.name, u.role, u.status,
      u.email_verified_at is not null as "isEmailVerified", c.password_hash as "passwordHash",
      c.password_changed_at as "passwordChangedAt",
      case when c.totp_confirmed_at is not null then c.totp_secret end as "totpSecret",
      array(select distinct login.ip from (
          select distinct on (s.expires_at) s.ip, s.created_at, s.revoked_at from sessions s
          where s.user_id = u.id order by s.expires_at, s.created_at) login
        where login.revoked_at is null and login.ip is not null and login.created_at > ${now}::timestamptz - make_interval(days => ${RECENT_DAYS})
        limit ${MAX_ADDRESSES}) as addresses
    from (select) asked
    left join (users u join user_credentials c on c.user_id = u.id)
      on u.email = ${email} and u.status <> 'deleted'`.execute(transaction);
  const { addresses, ...account } = rows[0] as Row;
  return { addresses, account: account.userId === null ? null : account };
}

/**
 * Reports whether the account is unchanged since it was read, and locks it until this transaction ends. If the password
 * changes during the check, no session is opened. Concurrent logins to one account are serialized here; the user is
 * locked first, then the credentials.
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
