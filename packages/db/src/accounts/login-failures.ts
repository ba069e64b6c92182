import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** How many wrong passwords one source may send for one account before it has to wait. */
const FREE_FAILURES = 4;
const FIRST_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 15 * 60;
/** A source that sent no wrong password for this long starts over. */
const FORGET_SECONDS = 24 * 3_600;
/** How many wrong passwords all unknown sources together may send for one account in an hour. */
const MAX_UNKNOWN_FAILURES = 20;
const UNKNOWN_WINDOW_SECONDS = 3_600;

/** What failures are counted under. The digests are made alike for an email address with an account and without one. */
export interface LoginSource {
  /** This account and this source. */
  readonly pair: Buffer;
  /** This account and every unknown source; null when the account's owner signed in from this source before. */
  readonly unknown: Buffer | null;
}

export function toLoginSource(email: string, source: string, isKnown: boolean): LoginSource {
  return { pair: digestOf(email, `source ${source}`), unknown: isKnown ? null : digestOf(email, "unknown sources") };
}

/** Returns until when this source has to wait, or null when it may try now. */
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
 * Counts a failed login. Returns until when the source has to wait if it had to already: a guess that was in flight while
 * others failed learns nothing, even if it was right, and counts for nothing.
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

/** Forgets the failures of a source after a login. If it has to wait, returns until when and forgets nothing. */
export async function clearLoginFailures(
  transaction: TenantTransaction,
  source: LoginSource,
  now: Date,
): Promise<Date | null> {
  await sql`delete from login_failures
    where email_digest = ${source.pair} and (locked_until is null or locked_until <= ${now})`.execute(transaction);
  // A statement of its own: it sees what others committed while the one above waited for them.
  return findLoginLock(transaction, source, now);
}

/** Lets a source and all unknown ones in again, after the password was set by a link. */
export async function forgetLoginFailures(transaction: TenantTransaction, source: LoginSource): Promise<void> {
  await transaction.deleteFrom("login_failures").where("email_digest", "in", keysOf(source)).execute();
}

/** From the fifth failure on, each one doubles the wait. False while the source has to wait. */
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

/** Once an hour's failures are used up, unknown sources wait for the end of that hour. False while they have to. */
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
