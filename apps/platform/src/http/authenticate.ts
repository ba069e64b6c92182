import { Failure } from "@tollgate/contracts/failures.ts";
import { findSession, type SessionRecord, touchSession } from "@tollgate/db/accounts/find-session.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { Caller } from "../caller.ts";
import type { ReadToken } from "../identity/token-issuer.ts";
import type { Services } from "../services.ts";

/** Credentials in a request. */
interface Credentials {
  readonly authorization: string | null;
  readonly cookie: string | null;
  /** Organization selected for this request. If the user isn't a member, the caller has no organization. */
  readonly organizationId: string | null;
}

/**
 * Names of the session cookie: one for HTTPS, with a prefix that binds the cookie to its host, and one for plain HTTP
 * in development.
 */
export const SESSION_COOKIES = ["__Host-tollgate_session", "tollgate_session"] as const;
/** Grace period after a rotation, for requests in flight with the previous token. */
export const PREVIOUS_TOKEN_MS = 60_000;
export const SESSION_IDLE_MS = 7 * 24 * 3_600_000;
const TOUCH_EVERY_MS = 60_000;

/** Authenticates the caller. The token only identifies the session. All other data comes from the database. */
export async function authenticate(credentials: Credentials, services: Services): Promise<Caller> {
  const shown = readCredentials(credentials, services.settings());
  if (shown === null) throw new Failure("NOT_SIGNED_IN", "Sign in first: send Authorization: Bearer <token>.");
  const token = await services.tokens.read(shown.token);
  if (token.kind === "invalid") {
    throw new Failure("NOT_SIGNED_IN", "Invalid token.");
  }
  if (token.kind === "expired") throw new Failure("TOKEN_EXPIRED", "The token has expired. Refresh it.");
  const now = services.now();
  const session = await runUnauthenticated(services.db, async (transaction) => {
    const found = await findSession(transaction, token.claims.sessionId, credentials.organizationId);
    // A superseded token must not extend the session.
    if (found !== null && isLive(found, now) && isCurrent(found, token.claims.jti, now)) {
      const isDue = now.getTime() - found.lastSeenAt.getTime() > TOUCH_EVERY_MS;
      if (isDue) await touchSession(transaction, token.claims.sessionId, now);
    }
    return found;
  });
  checkSession(session, token, now);
  return toCaller(session, token.claims.sessionId, shown.isCookie);
}

/** Returns the token from the Authorization header or the cookie. */
export function readCredentials(
  { authorization, cookie }: Pick<Credentials, "authorization" | "cookie">,
  { publicUrl }: Pick<PlatformSettings, "publicUrl">,
): { readonly token: string; readonly isCookie: boolean } | null {
  const bearer = /^Bearer +([^\s]+)$/i.exec(authorization ?? "")?.[1];
  if (bearer !== undefined) return { token: bearer, isCookie: false };
  if (authorization !== null || cookie === null) return null;
  const token = findCookie(cookie, SESSION_COOKIES, publicUrl);
  return token === null ? null : { token, isCookie: true };
}

/** Returns the value of a cookie that has different names for HTTPS and HTTP. */
export function findCookie(
  cookie: string,
  [httpsName, httpName]: readonly [string, string],
  publicUrl: string | null,
): string | null {
  const pairs = cookie.split(";").map((pair) => pair.trim());
  // With HTTPS, a cookie with the plain name may have been planted by a sibling domain.
  const names = publicUrl?.startsWith("https://") === true ? [httpsName] : [httpsName, httpName];
  for (const name of names) {
    const found = pairs.find((pair) => pair.startsWith(`${name}=`));
    if (found !== undefined) return found.slice(name.length + 1);
  }
  return null;
}

function checkSession(
  session: SessionRecord | null,
  token: Exclude<ReadToken, { kind: "invalid" }>,
  now: Date,
): asserts session is SessionRecord {
  if (session === null || session.userId !== token.claims.userId || session.status === "deleted") {
    throw new Failure("SESSION_REVOKED", "The session has ended. Sign in again.");
  }
  if (session.status === "disabled") throw new Failure("ACCOUNT_DISABLED", "This account is disabled.");
  if (!isLive(session, now)) throw new Failure("SESSION_REVOKED", "The session has ended. Sign in again.");
  if (!isCurrent(session, token.claims.jti, now)) {
    throw new Failure("TOKEN_EXPIRED", "The token was replaced by a newer token.");
  }
}

function isLive(session: SessionRecord, now: Date): boolean {
  const idleMs = now.getTime() - session.lastSeenAt.getTime();
  return session.revokedAt === null && session.expiresAt > now && idleMs <= SESSION_IDLE_MS;
}

function isCurrent(session: SessionRecord, jti: string, now: Date): boolean {
  if (jti === session.currentJti) return true;
  return jti === session.previousJti && now.getTime() - session.rotatedAt.getTime() <= PREVIOUS_TOKEN_MS;
}

function toCaller(session: SessionRecord, sessionId: string, isCookie: boolean): Caller {
  const { organizationId, organizationRole } = session;
  return {
    userId: session.userId,
    email: session.email,
    name: session.name,
    role: session.role,
    isEmailVerified: session.isEmailVerified,
    hasTotp: session.hasTotp,
    sessionId,
    sessionExpiresAt: session.expiresAt,
    authenticatedAt: session.authenticatedAt,
    organization:
      organizationId === null || organizationRole === null ? null : { id: organizationId, role: organizationRole },
    isCookie,
  };
}
