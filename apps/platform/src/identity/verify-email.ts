import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { TokenResponse, VerifyEmailRequest } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { forgetSignUps, takeSignUp } from "@tollgate/db/accounts/sign-ups.ts";
import { markEmailVerified, useUserToken } from "@tollgate/db/accounts/user-tokens.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runUnauthenticated, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { digestLinkToken } from "@tollgate/domain/identity/link-token.ts";
import type { Origin } from "../caller.ts";
import { operation, write } from "../operation.ts";
import type { Services } from "../services.ts";
import { createPerson } from "./create-person.ts";
import { openSession } from "./open-session.ts";
import type { SessionClaims } from "./token-issuer.ts";

export const verifyEmail = operation({
  ...write,
  id: "verifyEmail",
  summary: "Verify an email address with the emailed link",
  tag: "identity",
  path: "/api/auth/verify-email",
  auth: "none",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: VerifyEmailRequest,
  answers: { 200: { description: "A token for a new session", schema: TokenResponse } },
  handle: async ({ body, origin }, services) => {
    const digest = digestLinkToken(body.token);
    const claims = await runUnauthenticated(
      services.db,
      async (transaction) =>
        (await finishSignUp(transaction, services, origin, digest)) ??
        (await verifyAccount(transaction, services, origin, digest)),
    );
    if (claims === "code_required") {
      throw new Failure(
        "TOTP_REQUIRED",
        "Your email address is verified. Sign in with your password and one-time code.",
      );
    }
    return { status: 200, body: await services.tokens.issue(claims) };
  },
});

/** Creates the account for a pending sign-up; returns null if the link doesn't belong to a sign-up. */
async function finishSignUp(
  transaction: TenantTransaction,
  services: Services,
  origin: Origin,
  digest: Buffer,
): Promise<SessionClaims | null> {
  const pending = await takeSignUp(transaction, digest, services.now());
  if (pending === null) return null;
  await forgetSignUps(transaction, pending.email);
  const person = { ...pending, role: "user", isEmailVerified: true, authenticatedAt: null } as const;
  const outcome = await createPerson(transaction, services, origin, person);
  // The user has already followed another link for the same email address.
  if (outcome.kind === "email_taken") throw unknownObject("link", "It was already used or has expired.");
  return outcome.claims;
}

/** Verifies the email address of an existing account. The link replaces the password, but not a one-time code. */
async function verifyAccount(
  transaction: TenantTransaction,
  services: Services,
  origin: Origin,
  digest: Buffer,
): Promise<SessionClaims | "code_required"> {
  const now = services.now();
  const owner = await useUserToken(transaction, digest, "verify_email", now);
  if (owner === null) throw unknownObject("link", "It was already used or has expired.");
  const { userId, role, email, hasTotp } = owner;
  await markEmailVerified(transaction, userId, now);
  const claims = hasTotp
    ? "code_required"
    : await openSession(transaction, services, origin, { userId, role, authenticatedAt: null });
  await writeAudit(transaction, {
    organizationId: null,
    actor: { type: "user", id: userId, email, ...origin },
    action: "user.email_verified",
    target: { type: "user", id: String(userId) },
  });
  return claims;
}
