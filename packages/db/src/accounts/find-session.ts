import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A session and its user, with the organization it is active in. */
export interface SessionRecord {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly status: "active" | "disabled" | "deleted";
  readonly isEmailVerified: boolean;
  readonly hasTotp: boolean;
  readonly currentJti: string;
  readonly previousJti: string | null;
  readonly rotatedAt: Date;
  readonly authenticatedAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly organizationId: string | null;
  readonly organizationRole: "owner" | "admin" | "member" | null;
}

/**
 * Reads a session in an unauthenticated transaction. The organization is the requested one if the user is a member of
 * it. If no organization is requested, it is the session's active organization, or else the oldest organization that
 * the user owns.
 */
export async function findSession(
  transaction: TenantTransaction,
  sessionId: string,
  wantedOrganizationId: string | null,
): Promise<SessionRecord | null> {
  const { rows } = await sql<SessionRecord>`
    select u.id as "userId", u.email, u.name, u.role, u.status,
      u.email_verified_at is not null as "isEmailVerified", c.totp_confirmed_at is not null as "hasTotp",
      s.current_jti as "currentJti", s.previous_jti as "previousJti", s.rotated_at as "rotatedAt",
      s.authenticated_at as "authenticatedAt", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
      s.revoked_at as "revokedAt", chosen.organization_id as "organizationId", chosen.role as "organizationRole"
    from sessions s
    join users u on u.id = s.user_id
    left join user_credentials c on c.user_id = u.id
    left join lateral (
      select m.organization_id, m.role
      from organization_members m
      join organizations o on o.id = m.organization_id and o.status = 'active'
      where m.user_id = u.id
        and (${wantedOrganizationId}::text is null or m.organization_id = ${wantedOrganizationId})
        and (m.organization_id in (s.active_organization_id, ${wantedOrganizationId}) or m.role = 'owner')
      order by m.organization_id = s.active_organization_id desc nulls last, o.created_at, o.id
      limit 1
    ) chosen on true
    where s.id = ${sessionId}`.execute(transaction);
  return rows[0] ?? null;
}

/** Records that the session was used. Once a minute is precise enough for display. */
export async function touchSession(transaction: TenantTransaction, sessionId: string, now: Date): Promise<void> {
  await transaction.updateTable("sessions").set({ last_seen_at: now }).where("id", "=", sessionId).execute();
}
