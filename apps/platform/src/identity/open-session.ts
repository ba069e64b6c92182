import { randomUUID } from "node:crypto";
import { insertSession } from "@tollgate/db/accounts/insert-session.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { Origin } from "../caller.ts";
import type { Services } from "../services.ts";
import type { SessionClaims } from "./token-issuer.ts";

/** Whatever happens, a session ends then. */
export const SESSION_LIFE_MS = 30 * 24 * 3_600_000;

export interface SessionOwner {
  readonly userId: number;
  readonly role: string;
  /** When they showed their password; null when something else let them in. */
  readonly authenticatedAt: Date | null;
  /** Absent: the one they were last active in. */
  readonly organizationId?: string;
  /** Of the session that let them in, if one did: from session to session nobody stays for longer than the first. */
  readonly expiresAt?: Date;
}

/**
 * Opens a session at the door and answers what its token must say. Sign it after the commit: the signing key may have to
 * be read, and a transaction that waits for a second connection can wait for itself.
 */
export async function openSession(
  transaction: TenantTransaction,
  services: Services,
  origin: Origin,
  { userId, role, authenticatedAt, organizationId, expiresAt }: SessionOwner,
): Promise<SessionClaims> {
  const now = services.now();
  const sessionId = makePrefixedId("ses", now.getTime());
  const jti = randomUUID();
  await insertSession(transaction, {
    id: sessionId,
    userId,
    jti,
    now,
    authenticatedAt: authenticatedAt ?? new Date(0),
    expiresAt: expiresAt ?? new Date(now.getTime() + SESSION_LIFE_MS),
    userAgent: origin.userAgent,
    ip: origin.ip,
    ...(organizationId !== undefined && { organizationId }),
  });
  return { userId, sessionId, jti, role };
}
