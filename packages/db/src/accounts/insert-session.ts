import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Maximum number of sessions per user. Beyond it, the least recently used sessions end. */
const MAX_SESSIONS_PER_USER = 100;

interface NewSession {
  readonly id: string;
  readonly userId: number;
  readonly jti: string;
  readonly now: Date;
  /** Time of the last password check. */
  readonly authenticatedAt: Date;
  readonly expiresAt: Date;
  readonly userAgent: string | null;
  readonly ip: string;
  /**
   * If absent, the session uses the user's last active organization, or else the oldest organization that the user
   * owns.
   */
  readonly organizationId?: string;
}

/** Opens a session in an unauthenticated transaction. */
export async function insertSession(transaction: TenantTransaction, session: NewSession): Promise<void> {
  const { userId, now } = session;
  const organizationId = session.organizationId ?? (await chooseOrganization(transaction, userId));
  await transaction
    .insertInto("sessions")
    .values({
      id: session.id,
      user_id: userId,
      current_jti: session.jti,
      rotated_at: now,
      authenticated_at: session.authenticatedAt,
      active_organization_id: organizationId,
      created_at: now,
      last_seen_at: now,
      expires_at: session.expiresAt,
      user_agent: session.userAgent,
      ip: session.ip,
    })
    .execute();
  await sql`
    update sessions set revoked_at = ${now} where id in (
      select id from sessions where user_id = ${userId} and revoked_at is null
      order by last_seen_at desc, id desc offset ${MAX_SESSIONS_PER_USER})`.execute(transaction);
}

/** Records when a user last signed in. */
export async function noteLogin(transaction: TenantTransaction, userId: number, now: Date): Promise<void> {
  await transaction.updateTable("users").set({ last_login_at: now }).where("id", "=", userId).execute();
}

async function chooseOrganization(transaction: TenantTransaction, userId: number): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select o.id
    from users u
    join organization_members m on m.user_id = u.id
    join organizations o on o.id = m.organization_id and o.status = 'active'
    where u.id = ${userId} and (o.id = u.last_organization_id or m.role = 'owner')
    order by o.id = u.last_organization_id desc nulls last, o.created_at, o.id
    limit 1`.execute(transaction);
  return rows[0]?.id ?? null;
}
