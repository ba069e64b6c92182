import { LoginRequest, TokenResponse } from "@tollgate/contracts/management/identity.ts";
import { LOGIN_BODY } from "@tollgate/contracts/management/operation.ts";
import { operation, write } from "../operation.ts";
import { signIn } from "./sign-in.ts";

export const createToken = operation({
  ...write,
  id: "createToken",
  summary: "Sign in with email and password",
  tag: "identity",
  path: "/api/auth/token",
  auth: "none",
  scope: "own",
  rate: "login",
  idempotency: "none",
  bodyLimitBytes: LOGIN_BODY,
  body: LoginRequest,
  answers: { 200: { description: "A token for a new session", schema: TokenResponse } },
  handle: async ({ body, origin }, services) => {
    const claims = await signIn(services, origin, body);
    return { status: 200, body: await services.tokens.issue(claims) };
  },
});
