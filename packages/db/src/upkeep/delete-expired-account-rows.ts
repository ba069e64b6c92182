import { type RawBuilder, sql } from "kysely";
import type { Database } from "../connect.ts";

/** Retention periods for expired rows, in days unless the name says otherwise. */
export interface AccountKeeping {
  readonly idempotencyHours: number;
  readonly endedSessionDays: number;
  readonly endedTokenDays: number;
  readonly endedInvitationDays: number;
  readonly reconciliationDays: number;
}

/** Number of rows deleted per statement, small enough that their locks don't noticeably delay other transactions. */
const BATCH = 5_000;

/** Deletes rows that expired long ago, and returns how many were deleted. */
export async function deleteExpiredAccountRows(db: Database, keeping: AccountKeeping): Promise<number> {
  const { idempotencyHours, endedSessionDays, endedTokenDays, endedInvitationDays, reconciliationDays } = keeping;
  let removed = 0;
  removed += await removeAll(
    db,
    sql`idempotency_keys`,
    sql`created_at < now() - make_interval(hours => ${idempotencyHours})`,
  );
  removed += await removeAll(db, sql`idempotent_calls`, sql`expires_at < now()`);
  removed += await removeAll(
    db,
    sql`user_tokens`,
    sql`least(expires_at, used_at) < now() - make_interval(days => ${endedTokenDays})`,
  );
  removed += await removeAll(db, sql`sign_ups`, sql`expires_at < now() - make_interval(days => ${endedTokenDays})`);
  removed += await removeAll(db, sql`pairings`, sql`expires_at < now() - make_interval(days => ${endedTokenDays})`);
  removed += await removeAll(
    db,
    sql`sessions`,
    sql`least(expires_at, revoked_at) < now() - make_interval(days => ${endedSessionDays})`,
  );
  removed += await removeAll(
    db,
    sql`login_failures`,
    sql`greatest(window_started_at, locked_until) < now() - interval '1 day'`,
  );
  removed += await removeAll(
    db,
    sql`invitations`,
    sql`least(expires_at, decided_at) < now() - make_interval(days => ${endedInvitationDays})`,
  );
  removed += await removeAll(
    db,
    sql`reconciliation_reports`,
    sql`started_at < now() - make_interval(days => ${reconciliationDays})`,
  );
  return removed;
}

async function removeAll(db: Database, table: RawBuilder<unknown>, isOver: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${table} where ctid = any (array(select ctid from ${table} where ${isOver} limit ${BATCH}))`.execute(
      db,
    );
    total += Number(numAffectedRows);
    if (numAffectedRows < BATCH) return total;
  }
}
