import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

const MAX_FAILURES = 5;
const WINDOW_MS = 15 * 60_000;
const LOCK_MS = 15 * 60_000;

/** What failures are counted under: the same for an address that has an account and for one that has none. */
export function digestOfEmail(email: string): Buffer {
  return createHash("sha256").update(email).digest();
}

/**
 * Counts a failed login. When the address was locked already the answer is until when: a guess that was under way while
 * others failed must learn nothing, even if it was right.
 */
export async function countLoginFailure(
  transaction: TenantTransaction,
  emailDigest: Buffer,
  now: Date,
): Promise<Date | null> {
  const windowStart = new Date(now.getTime() - WINDOW_MS);
  const lockEnd = new Date(now.getTime() + LOCK_MS);
  const { rows } = await sql<{ failures: number; lockedUntil: Date | null }>`
    insert into login_failures as f (email_digest, failures, window_started_at) values (${emailDigest}, 1, ${now})
    on conflict (email_digest) do update set (failures, window_started_at, locked_until) = (
      select case when old.over then 1 else f.failures + 1 end,
        case when old.over then ${now}::timestamptz else f.window_started_at end,
        case when old.over then null when f.failures + 1 = ${MAX_FAILURES} then ${lockEnd}::timestamptz else f.locked_until end
      from (select coalesce(f.locked_until <= ${now}, f.window_started_at <= ${windowStart}) as over) old
    )
    returning f.failures, f.locked_until as "lockedUntil"`.execute(transaction);
  const row = rows[0];
  return row !== undefined && row.failures > MAX_FAILURES ? row.lockedUntil : null;
}

/** Forgets the failures of an address after a login; until when it is locked, if it is, and then nothing is forgotten. */
export async function clearLoginFailures(
  transaction: TenantTransaction,
  emailDigest: Buffer,
  now: Date,
): Promise<Date | null> {
  await sql`delete from login_failures
    where email_digest = ${emailDigest} and (locked_until is null or locked_until <= ${now})`.execute(transaction);
  // A statement of its own: it sees what others committed while the one above waited for them.
  const left = await transaction
    .selectFrom("login_failures")
    .select("locked_until")
    .where("email_digest", "=", emailDigest)
    .executeTakeFirst();
  return left?.locked_until ?? null;
}

/** Lets an address in again at once, after its password was set by a link or by an operator. */
export async function forgetLoginFailures(transaction: TenantTransaction, emailDigest: Buffer): Promise<void> {
  await transaction.deleteFrom("login_failures").where("email_digest", "=", emailDigest).execute();
}
