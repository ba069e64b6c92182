import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { signUpUser, startIdentity } from "./identity.fixture.ts";
import { identityOperations } from "./operations.ts";

const open = new Set([
  "signUp",
  "createToken",
  "forgotPassword",
  "resetPassword",
  "verifyEmail",
  "createCookieSession",
  "deleteCookieSession",
]);
const closed = identityOperations.filter(({ id }) => !open.has(id));

test.for(closed.map(({ id, method, path }) => [id, method, path] as const))(
  "%s without a token returns 401 in the management error format",
  async ([, method, path], { database }) => {
    const platform = await startIdentity(database);
    const body = method === "GET" || method === "DELETE" ? {} : { body: {} };
    const shown: readonly Record<string, string>[] = [
      {},
      { authorization: "Basic YTpi" },
      { authorization: "Bearer nonsense" },
    ];
    for (const headers of shown) {
      const answer = await platform.api(method, path.replace("{id}", "ses_x"), { ...body, headers });
      expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String), code: "UNAUTHORIZED" } });
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
  },
);

test("a request can select an organization only if the caller is a member", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token, organization } = await signUpUser(platform);
  const foreign = await signUpUser(platform);
  const headers = { "x-gw-organization": foreign.organization.id };
  expect((await platform.api("GET", "/api/auth/me", { token, headers })).status).toBe(404);
  const own = { "x-gw-organization": organization.id };
  expect((await platform.api("GET", "/api/auth/me", { token, headers: own })).status).toBe(200);
});
