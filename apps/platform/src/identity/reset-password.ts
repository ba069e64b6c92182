import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { ForgotPasswordRequest, ResetPasswordRequest, SentResponse } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { forgetLoginFailures, toLoginSource } from "@tollgate/db/accounts/login-failures.ts";
import { revokeSessions } from "@tollgate/db/accounts/sessions.ts";
import { setPassword } from "@tollgate/db/accounts/set-password.ts";
import { addUserToken, findUserToken, markEmailVerified, useUserToken } from "@tollgate/db/accounts/user-tokens.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { networkOf } from "@tollgate/domain/client-address.ts";
import { digestLinkToken, makeLinkToken } from "@tollgate/domain/identity/link-token.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import { makeLink, sendMail } from "../mail.ts";
import { operation, write } from "../operation.ts";
import { hashNewPassword } from "./hash-new-password.ts";

const RESET_LINK_MS = 3_600_000;

export const forgotPassword = operation({
  ...write,
  id: "forgotPassword",
  summary: "Request a password reset link",
  tag: "identity",
  path: "/api/auth/password/forgot",
  auth: "none",
  scope: "own",
  rate: "reset",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: ForgotPasswordRequest,
  answers: { 202: { description: "An email was sent if the address has an account", schema: SentResponse } },
  handle: async ({ body }, services) => {
    const email = normalizeEmail(body.email);
    if (email === null) throw invalidField("email", "is not a valid email address");
    const answer = { status: 202, body: { status: "accepted" } };
    // Without email, no link can be sent, so an operator sets the password with a command.
    if (services.settings().mail.url === null) return answer;
    const now = services.now();
    const { token, digest } = makeLinkToken();
    const expiresAt = new Date(now.getTime() + RESET_LINK_MS);
    await runUnauthenticated(services.db, async (transaction) => {
      const isAdded = await addUserToken(transaction, { digest, email, purpose: "reset_password", now, expiresAt });
      const link = makeLink(services.settings(), "ui/reset-password", token);
      await sendMail(transaction, services, { to: isAdded ? email : null, template: "reset_password", data: { link } });
    });
    return answer;
  },
});

export const resetPassword = operation({
  ...write,
  id: "resetPassword",
  summary: "Reset the password with a link and end all sessions",
  tag: "identity",
  path: "/api/auth/password/reset",
  auth: "none",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: ResetPasswordRequest,
  answers: { 204: { description: "The password is reset; sign in with the new one" } },
  handle: async ({ body, origin }, services) => {
    const digest = digestLinkToken(body.token);
    const now = services.now();
    const owner = await runUnauthenticated(services.db, (transaction) =>
      findUserToken(transaction, digest, "reset_password", now),
    );
    if (owner === null) throw unknownLink();
    const { userId, email, name } = owner;
    // A rejected password leaves the link valid for another attempt.
    const passwordHash = await hashNewPassword(services, body.newPassword, { email, name });
    await runUnauthenticated(services.db, async (transaction) => {
      if ((await useUserToken(transaction, digest, "reset_password", now)) === null) throw unknownLink();
      await markEmailVerified(transaction, userId, now);
      await setPassword(transaction, userId, passwordHash, now);
      const ended = await revokeSessions(transaction, userId, now);
      await forgetLoginFailures(transaction, toLoginSource(email, networkOf(origin.ip), false));
      await sendMail(transaction, services, { to: email, template: "password_changed", data: {} });
      await writeAudit(transaction, {
        organizationId: null,
        actor: { type: "user", id: userId, email, ...origin },
        action: "user.password_changed",
        target: { type: "user", id: String(userId) },
        after: { endedSessions: ended },
      });
    });
    return { status: 204 };
  },
});

const unknownLink = () => unknownObject("link", "It was already used or has expired.");
