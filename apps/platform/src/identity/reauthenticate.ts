import { ReauthenticateRequest } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { renewAuthentication } from "@tollgate/db/accounts/sessions.ts";
import { operation, write } from "../operation.ts";
import { withLogin } from "./with-login.ts";

export const reauthenticate = operation({
  ...write,
  id: "reauthenticate",
  summary: "Show the password again, for operations that ask for one of the last ten minutes",
  tag: "identity",
  path: "/api/auth/reauthenticate",
  auth: "user",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: ReauthenticateRequest,
  answers: { 204: { description: "The session counts as freshly authenticated" } },
  handle: async ({ caller, body, origin }, services) => {
    const { userId, sessionId, email } = caller;
    await withLogin(services, origin, { email, sessionId, ...body }, (transaction) =>
      renewAuthentication(transaction, userId, sessionId, services.now()),
    );
    return { status: 204 };
  },
});
