import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

interface SessionView {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly userAgent: string | null;
  readonly ip: string | null;
}

/** Lists a page of a user's live sessions, latest first. */
export async function listSessions(
  transaction: TenantTransaction,
  userId: number,
  seenSince: Date,
  now: Date,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): Promise<{ readonly sessions: readonly SessionView[]; readonly total: number }> {
  const live = transaction
    .selectFrom("sessions")
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .where("last_seen_at", ">=", seenSince);
  const { total } = await live.select(sql<number>`count(*)::integer`.as("total")).executeTakeFirstOrThrow();
  const sessions = await live
    .select([
      "id",
      "created_at as createdAt",
      "last_seen_at as lastSeenAt",
      "expires_at as expiresAt",
      "user_agent as userAgent",
      "ip",
    ])
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { sessions, total };
}

/** Ends one of the user's sessions. Returns false if there is no such live session. */
export async function revokeSession(
  transaction: TenantTransaction,
  userId: number,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("sessions")
    .set({ revoked_at: now })
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends all of the user's sessions except the given one, and returns how many ended. */
export async function revokeSessions(
  transaction: TenantTransaction,
  userId: number,
  now: Date,
  exceptSessionId?: string,
): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable("sessions")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .where("id", "!=", exceptSessionId ?? "")
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Replaces the session's token and immediately invalidates all earlier tokens. The session does not count as freshly
 * authenticated, because a password change doesn't require a one-time code.
 */
export async function replaceToken(
  transaction: TenantTransaction,
  userId: number,
  sessionId: string,
  jti: string,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable("sessions")
    .set({ current_jti: jti, previous_jti: null, rotated_at: now, last_seen_at: now })
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .execute();
}

/** Records that the user has entered their password again. */
export async function renewAuthentication(
  transaction: TenantTransaction,
  userId: number,
  sessionId: string,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable("sessions")
    .set({ authenticated_at: now })
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .execute();
}

/**
 * Makes an organization the active one for this session and for later sessions. Returns false if the user is not a
 * member of it.
 */
export async function activateOrganization(
  transaction: TenantTransaction,
  userId: number,
  sessionId: string,
  organizationId: string,
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update users u set last_organization_id = m.organization_id
    from organization_members m join organizations o on o.id = m.organization_id and o.status = 'active'
    where u.id = ${userId} and m.user_id = u.id and m.organization_id = ${organizationId}
    returning m.organization_id as id`.execute(transaction);
  if (rows.length === 0) return false;
  await transaction
    .updateTable("sessions")
    .set({ active_organization_id: organizationId })
    .where("id", "=", sessionId)
    .where("user_id", "=", userId)
    .execute();
  return true;
}
