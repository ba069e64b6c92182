import { ReauthenticateRequest } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { renewAuthentication } from "@tollgate/db/accounts/sessions.ts";
import { operation, write } from "../operation.ts";
import { withLogin } from "./with-login.ts";

export const reauthenticate = operation({
  ...write,
  id: "reauthenticate",
  summary: "Confirm the password, for operations that require a sign-in within the last 10 minutes",
  tag: "identity",
  path: "/api/auth/reauthenticate",
  auth: "user",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: ReauthenticateRequest,
  answers: { 204: { description: "The session is reauthenticated" } },
  handle: async ({ caller, body, origin }, services) => {
    const { userId, sessionId, email, sessionExpiresAt } = caller;
    const login = { ...body, email, session: { expiresAt: sessionExpiresAt } };
    await withLogin(services, origin, login, (transaction) =>
      renewAuthentication(transaction, userId, sessionId, services.now()),
    );
    return { status: 204 };
  },
});
