import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Number of wrong passwords that one source can send for one account before the source has to wait. */
const FREE_FAILURES = 4;
const FIRST_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 15 * 60;
/** Time without a wrong password after which a source's failure count resets. */
const FORGET_SECONDS = 24 * 3_600;
/** Number of wrong passwords per hour that all unknown sources together can send for one account. */
const MAX_UNKNOWN_FAILURES = 20;
const UNKNOWN_WINDOW_SECONDS = 3_600;

/**
 * Keys under which failures are counted. The digests are computed the same way for email addresses with and without an
 * account.
 */
export interface LoginSource {
  /** Digest of this account and this source. */
  readonly pair: Buffer;
  /**
   * Digest of this account and all unknown sources; null if the account's owner has signed in from this source before.
   */
  readonly unknown: Buffer | null;
}

export function toLoginSource(email: string, source: string, isKnown: boolean): LoginSource {
  return { pair: digestOf(email, `source ${source}`), unknown: isKnown ? null : digestOf(email, "unknown sources") };
}

/** Returns the time when this source can try again, or null if it can try now. */
export async function findLoginLock(
  transaction: TenantTransaction,
  source: LoginSource,
  now: Date,
): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`
    select max(locked_until) as until from login_failures
    where email_digest in (${sql.join(keysOf(source))}) and locked_until > ${now}`.execute(transaction);
  return rows[0]?.until ?? null;
}

/**
 * Counts a failed login. If the source is already locked, returns when the lock ends and doesn't count the attempt. A
 * guess that was in flight when the source was locked thus reveals nothing, even if it was correct.
 */
export async function countLoginFailure(
  transaction: TenantTransaction,
  source: LoginSource,
  now: Date,
): Promise<Date | null> {
  const isCounted = await countPair(transaction, source.pair, now);
  if (!isCounted) return findLoginLock(transaction, source, now);
  if (source.unknown === null || (await countUnknown(transaction, source.unknown, now))) return null;
  return findLoginLock(transaction, source, now);
}

/** Clears a source's failures after a login. If the source is locked, clears nothing and returns when the lock ends. */
export async function clearLoginFailures(
  transaction: TenantTransaction,
  source: LoginSource,
  now: Date,
): Promise<Date | null> {
  await sql`delete from login_failures
    where email_digest = ${source.pair} and (locked_until is null or locked_until <= ${now})`.execute(transaction);
  // This is a separate statement, so that it sees rows that were committed while the delete waited for their locks.
  return findLoginLock(transaction, source, now);
}

/**
 * Clears the failures of a source and of all unknown sources after the password has been set through an emailed link.
 */
export async function forgetLoginFailures(transaction: TenantTransaction, source: LoginSource): Promise<void> {
  await transaction.deleteFrom("login_failures").where("email_digest", "in", keysOf(source)).execute();
}

/**
 * Counts a failure from one source. Starting with the fifth, each failure doubles the wait. Returns false while the
 * source is locked.
 */
async function countPair(transaction: TenantTransaction, key: Buffer, now: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into login_failures as f (email_digest, failures, window_started_at) values (${key}, 1, ${now})
    on conflict (email_digest) do update set (failures, window_started_at, locked_until) = (
      select next.failures, ${now}::timestamptz,
        case when next.failures > ${FREE_FAILURES}::int then ${now}::timestamptz + make_interval(secs => least(
          ${MAX_WAIT_SECONDS}::int, ${FIRST_WAIT_SECONDS}::int * power(2, least(next.failures - ${FREE_FAILURES}::int - 1, 20)))) end
      from (select case when greatest(f.window_started_at, f.locked_until) <= ${now}::timestamptz - make_interval(secs => ${FORGET_SECONDS})
        then 1 else f.failures + 1 end as failures) next
    )
    where f.locked_until is null or f.locked_until <= ${now}
    returning 1`.execute(transaction);
  return rows.length > 0;
}

/**
 * Counts a failure from the unknown sources. Beyond the hourly limit, they are locked until the hour ends. Returns
 * false while they are locked.
 */
async function countUnknown(transaction: TenantTransaction, key: Buffer, now: Date): Promise<boolean> {
  const window = sql`make_interval(secs => ${UNKNOWN_WINDOW_SECONDS})`;
  const { rows } = await sql`
    insert into login_failures as f (email_digest, failures, window_started_at) values (${key}, 1, ${now})
    on conflict (email_digest) do update set (failures, window_started_at, locked_until) = (
      select case when old.over then 1 else f.failures + 1 end,
        case when old.over then ${now}::timestamptz else f.window_started_at end,
        case when not old.over and f.failures + 1 >= ${MAX_UNKNOWN_FAILURES}::int then f.window_started_at + ${window} end
      from (select f.window_started_at <= ${now}::timestamptz - ${window} as over) old
    )
    where f.locked_until is null or f.locked_until <= ${now}
    returning 1`.execute(transaction);
  return rows.length > 0;
}

const keysOf = ({ pair, unknown }: LoginSource): Buffer[] => (unknown === null ? [pair] : [pair, unknown]);

function digestOf(email: string, scope: string): Buffer {
  return createHash("sha256").update(`${email}\n${scope}`).digest();
}
