import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

interface RefreshRequest {
  readonly sessionId: string;
  readonly userId: number;
  /** ID of the presented token. */
  readonly jti: string;
  /** ID of the next token. */
  readonly nextJti: string;
  readonly now: Date;
  readonly idleMs: number;
  /** How long the previous token stays valid. */
  readonly previousMs: number;
}

export type RefreshOutcome =
  | { readonly kind: "refreshed"; readonly jti: string; readonly role: string; readonly sessionExpiresAt: Date }
  | { readonly kind: "ended" }
  | { readonly kind: "disabled" }
  /**
   * The token was replaced long ago, so another client has a copy. The session has been ended, and `email` is its
   * user's email address.
   */
  | { readonly kind: "reused"; readonly email: string };

interface Row {
  readonly userId: number;
  readonly email: string;
  readonly role: string;
  readonly status: "active" | "disabled" | "deleted";
  readonly currentJti: string;
  readonly previousJti: string | null;
  readonly rotatedAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/**
 * Replaces a session's token. If several requests present the same token concurrently, the first request replaces it
 * and the others get the same new token, so that no request gets a token that counts as stolen.
 */
export async function refreshSession(transaction: TenantTransaction, request: RefreshRequest): Promise<RefreshOutcome> {
  const { sessionId, jti, now } = request;
  const { rows } = await sql<Row>`
    select s.user_id as "userId", u.email, u.role, u.status, s.current_jti as "currentJti",
      s.previous_jti as "previousJti", s.rotated_at as "rotatedAt", s.last_seen_at as "lastSeenAt",
      s.expires_at as "expiresAt", s.revoked_at as "revokedAt"
    from sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId} for update of s`.execute(transaction);
  const session = rows[0];
  if (session === undefined || session.userId !== request.userId || !isLive(session, request)) return { kind: "ended" };
  if (session.status === "disabled") return { kind: "disabled" };
  const { role, expiresAt: sessionExpiresAt } = session;
  if (jti === session.currentJti) {
    await transaction
      .updateTable("sessions")
      .set({ current_jti: request.nextJti, previous_jti: jti, rotated_at: now, last_seen_at: now })
      .where("id", "=", sessionId)
      .execute();
    return { kind: "refreshed", jti: request.nextJti, role, sessionExpiresAt };
  }
  const sinceRotationMs = now.getTime() - session.rotatedAt.getTime();
  if (jti === session.previousJti && sinceRotationMs <= request.previousMs) {
    return { kind: "refreshed", jti: session.currentJti, role, sessionExpiresAt };
  }
  await transaction.updateTable("sessions").set({ revoked_at: now }).where("id", "=", sessionId).execute();
  return { kind: "reused", email: session.email };
}

function isLive(session: Row, { now, idleMs }: RefreshRequest): boolean {
  return (
    session.status !== "deleted" &&
    session.revokedAt === null &&
    session.expiresAt > now &&
    now.getTime() - session.lastSeenAt.getTime() <= idleMs
  );
}
