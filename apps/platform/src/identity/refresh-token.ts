import { randomUUID } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { TokenResponse } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { type RefreshOutcome, refreshSession } from "@tollgate/db/accounts/refresh-session.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import type { Origin } from "../caller.ts";
import { PREVIOUS_TOKEN_MS, readCredentials, SESSION_IDLE_MS } from "../http/authenticate.ts";
import { checkCookieChange } from "../http/check-caller.ts";
import { operation, write } from "../operation.ts";
import type { Services } from "../services.ts";
import { answerToken } from "./token-answer.ts";
import type { SessionClaims } from "./token-issuer.ts";

export const refreshToken = operation({
  ...write,
  id: "refreshToken",
  summary: "Replace a current or expired token with a new one for the same session",
  tag: "identity",
  path: "/api/auth/token/refresh",
  // The handler reads the token itself, because only this operation accepts expired tokens.
  auth: "none",
  scope: "own",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  answers: {
    200: { description: "The new token; the previous one works for another minute", schema: TokenResponse },
    204: { description: "For cookie sessions, the cookie is set again" },
  },
  handle: async ({ headers, origin }, services) => {
    const shown = readCredentials(
      { authorization: headers.authorization?.toString() ?? null, cookie: headers.cookie?.toString() ?? null },
      services.settings(),
    );
    if (shown === null) throw new Failure("NOT_SIGNED_IN", "Send the token to refresh.");
    if (shown.isCookie) checkCookieChange(headers, services.settings());
    const claims = await readRefreshable(shown.token, services);
    const outcome = await refresh(claims, origin, services);
    if (outcome.kind === "disabled") throw new Failure("ACCOUNT_DISABLED", "This account is disabled.");
    if (outcome.kind !== "refreshed") {
      throw new Failure("SESSION_REVOKED", "The session has ended. Sign in again.");
    }
    const { jti, role, sessionExpiresAt } = outcome;
    return answerToken(services, { ...claims, jti, role }, { isCookie: shown.isCookie, sessionExpiresAt });
  },
});

async function readRefreshable(text: string, services: Services): Promise<SessionClaims> {
  const token = await services.tokens.read(text);
  if (token.kind === "invalid") {
    throw new Failure("NOT_SIGNED_IN", "Invalid token.");
  }
  if (services.now().getTime() - token.expiresAt.getTime() > SESSION_IDLE_MS) {
    throw new Failure("TOKEN_EXPIRED", "The token expired more than seven days ago. Sign in again.");
  }
  return token.claims;
}

function refresh(claims: SessionClaims, origin: Origin, services: Services): Promise<RefreshOutcome> {
  const { sessionId, userId, jti } = claims;
  return runUnauthenticated(services.db, async (transaction) => {
    const outcome = await refreshSession(transaction, {
      sessionId,
      userId,
      jti,
      nextJti: randomUUID(),
      now: services.now(),
      idleMs: SESSION_IDLE_MS,
      previousMs: PREVIOUS_TOKEN_MS,
    });
    if (outcome.kind === "reused") {
      await writeAudit(transaction, {
        organizationId: null,
        // The request may come from the user or from an attacker with a copy of the token.
        actor: { type: "user", id: userId, email: outcome.email, ...origin },
        action: "session.reuse_detected",
        target: { type: "session", id: sessionId },
      });
    }
    return outcome;
  });
}
