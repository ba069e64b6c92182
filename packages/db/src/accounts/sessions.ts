import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface SessionView {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly userAgent: string | null;
  readonly ip: string | null;
}

/** A page of a person's sessions that have not ended, the latest first. */
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

/** Ends one session of a person; false when there is none that could end. */
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

/** Ends every session of a person, but for one when it is named. Answers how many. */
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
 * Gives the session another token at once: the ones before it work no more. It does not count as freshly authenticated:
 * whoever changes a password shows no one-time code.
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

/** Notes that the person has shown their password again. */
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

/** Makes an organization the active one of the session, and of the next ones. False when the person is no member of it. */
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
