import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { CookieRequest } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { runAsUser, runUnauthenticated } from "@tollgate/db/tenancy.ts";
import type { Static } from "typebox";
import type { Origin } from "../caller.ts";
import { authenticate, readCredentials } from "../http/authenticate.ts";
import { checkCookieChange, checkOrigin } from "../http/check-caller.ts";
import { operation, write } from "../operation.ts";
import type { Services } from "../services.ts";
import { readDevice, signedInCookies } from "./known-device.ts";
import { logIn } from "./log-in.ts";
import { SESSION_LIFE_MS } from "./open-session.ts";
import { clearedCookie, sessionCookie } from "./session-cookie.ts";
import { endSession } from "./sessions.ts";
import { signIn } from "./sign-in.ts";
import type { SessionClaims } from "./token-issuer.ts";

export const createCookieSession = operation({
  ...write,
  id: "createCookieSession",
  summary: "Sign in a browser with email and password, or with a token",
  tag: "identity",
  path: "/api/auth/session",
  auth: "none",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: CookieRequest,
  answers: { 204: { description: "The session cookie is set" } },
  handle: async ({ body, headers, origin }, services) => {
    // Without this check, another site could sign a visitor in to an account that it controls and observe their
    // activity.
    if (headers.origin !== undefined) checkOrigin(headers, services.settings());
    const authorization = headers.authorization?.toString() ?? null;
    if (authorization !== null) {
      // Only a login makes a device known. Otherwise, a stolen token would make any number of devices known.
      const { claims, lifeMs } = await openByToken(authorization, origin, services);
      const { token } = await services.tokens.issue(claims);
      return { status: 204, headers: sessionCookie(services.settings(), token, lifeMs) };
    }
    const device = readDevice(headers.cookie, services);
    const claims = await signIn(services, origin, { ...readLogin(body), device });
    const { token } = await services.tokens.issue(claims);
    const login = { token, lifeMs: SESSION_LIFE_MS, userId: claims.userId, device };
    return { status: 204, headers: signedInCookies(services, login) };
  },
});

export const deleteCookieSession = operation({
  ...write,
  method: "DELETE",
  id: "deleteCookieSession",
  summary: "Sign out a browser",
  tag: "identity",
  path: "/api/auth/session",
  // Requires no authentication, so that an expired or invalid cookie is also cleared.
  auth: "none",
  scope: "own",
  idempotency: "none",
  answers: { 204: { description: "The cookie is cleared and its session ended" } },
  handle: async ({ headers, origin }, services) => {
    const settings = services.settings();
    const shown = readCredentials({ authorization: null, cookie: headers.cookie?.toString() ?? null }, settings);
    const answer = { status: 204, headers: clearedCookie(settings) };
    if (shown === null) return answer;
    checkCookieChange(headers, settings);
    const token = await services.tokens.read(shown.token);
    if (token.kind === "invalid") return answer;
    const { userId, sessionId } = token.claims;
    await runAsUser(services.db, userId, (transaction) =>
      endSession(transaction, { userId, sessionId, now: services.now() }, { type: "user", id: userId, ...origin }),
    );
    return answer;
  },
});

/**
 * Opens a separate session for the browser, so that the two sessions can be ended independently. Both expire at the
 * same time.
 */
async function openByToken(
  authorization: string,
  origin: Origin,
  services: Services,
): Promise<{ readonly claims: SessionClaims; readonly lifeMs: number }> {
  const caller = await authenticate({ authorization, cookie: null, organizationId: null }, services);
  const { userId, role, email, authenticatedAt, organization, sessionExpiresAt } = caller;
  const claims = await runUnauthenticated(services.db, (transaction) =>
    logIn(transaction, services, origin, {
      userId,
      role,
      email,
      authenticatedAt,
      expiresAt: sessionExpiresAt,
      ...(organization !== null && { organizationId: organization.id }),
    }),
  );
  return { claims, lifeMs: sessionExpiresAt.getTime() - services.now().getTime() };
}

function readLogin({ email, password, totp }: Static<typeof CookieRequest>) {
  if (email === undefined) throw invalidField("email", "is required, unless a bearer token is sent");
  if (password === undefined) throw invalidField("password", "is required, unless a bearer token is sent");
  return { email, password, totp };
}
