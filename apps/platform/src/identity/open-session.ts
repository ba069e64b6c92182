import { randomUUID } from "node:crypto";
import { insertSession } from "@tollgate/db/accounts/insert-session.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { Origin } from "../caller.ts";
import type { Services } from "../services.ts";
import type { SessionClaims } from "./token-issuer.ts";

/** Absolute lifetime of a session. */
export const SESSION_LIFE_MS = 30 * 24 * 3_600_000;

export interface SessionOwner {
  readonly userId: number;
  readonly role: string;
  /** Time of the password entry; null if the user signed in without a password. */
  readonly authenticatedAt: Date | null;
  /** Defaults to the last active organization. */
  readonly organizationId?: string;
  /** Expiry of the session that opened this one, if any, so that chained sessions don't outlive the first. */
  readonly expiresAt?: Date;
}

/**
 * Opens a session and returns its token claims. Sign the token after the commit: signing may read the key over a second
 * connection, and a transaction that waits for another connection can deadlock.
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
