import { randomUUID } from "node:crypto";
import { ChangePasswordRequest, TokenResponse } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { replaceToken, revokeSessions } from "@tollgate/db/accounts/sessions.ts";
import { setPassword } from "@tollgate/db/accounts/set-password.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { actorOf } from "../audit-actor.ts";
import { sendMail } from "../mail.ts";
import { operation, write } from "../operation.ts";
import { hashNewPassword } from "./hash-new-password.ts";
import { answerToken } from "./token-answer.ts";
import { withLogin } from "./with-login.ts";

export const updatePassword = operation({
  ...write,
  id: "updatePassword",
  summary: "Change the password and end all other sessions",
  tag: "identity",
  path: "/api/auth/password",
  auth: "user",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: ChangePasswordRequest,
  answers: {
    200: { description: "The new token for this session; earlier tokens are invalid", schema: TokenResponse },
    204: { description: "For cookie sessions, the cookie is set again" },
  },
  handle: async (input, services) => {
    const { caller, body, origin } = input;
    const { userId, email, name, sessionId, sessionExpiresAt, role } = caller;
    const passwordHash = await hashNewPassword(services, body.newPassword, { email, name });
    const jti = randomUUID();
    const session = { expiresAt: sessionExpiresAt };
    const login = { email, password: body.currentPassword, isSignedIn: true, session };
    await withLogin(services, origin, login, async (transaction) => {
      const now = services.now();
      await setPassword(transaction, userId, passwordHash, now);
      const ended = await revokeSessions(transaction, userId, now, sessionId);
      await replaceToken(transaction, userId, sessionId, jti, now);
      await sendMail(transaction, services, { to: email, template: "password_changed", data: {} });
      await writeAudit(transaction, {
        organizationId: null,
        actor: actorOf(input),
        action: "user.password_changed",
        target: { type: "user", id: String(userId) },
        after: { endedSessions: ended },
      });
    });
    return answerToken(services, { userId, sessionId, jti, role }, caller);
  },
});
