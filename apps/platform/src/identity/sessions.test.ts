import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { createPasswordHasher } from "../adapters/argon2-hasher.ts";
import { PASSWORD, readAudit, signIn, signUpUser, startIdentity, whoAmI } from "./identity.fixture.ts";

test("a logout ends only the current session and takes effect immediately", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  const other = (await signIn(platform, email)).body.token;
  const answer = await platform.api("POST", "/api/auth/logout", { token });
  expect(answer).toMatchObject({ status: 204, text: "" });
  expect(await whoAmI(platform, token)).toMatchObject({
    status: 401,
    body: { details: { reason: "SESSION_REVOKED" } },
  });
  expect((await platform.api("POST", "/api/auth/token/refresh", { token })).status).toBe(401);
  expect((await whoAmI(platform, other)).status).toBe(200);
  expect((await readAudit(database, email)).at(-1)).toMatchObject({ action: "session.revoked" });
});

test("a user can list and end only their own sessions", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  const second = await platform.api("POST", "/api/auth/token", {
    body: { email, password: PASSWORD },
    headers: { "user-agent": "second browser" },
  });
  const stranger = await signUpUser(platform);
  const strangerSession = (await whoAmI(platform, stranger.token)).body.session.id;
  const list = await platform.api("GET", "/api/auth/sessions?pageSize=1&page=1", { token });
  expect(list.body).toMatchObject({
    data: [{ userAgent: "second browser", ip: "127.0.0.1", current: false }],
    meta: { page: 1, pageSize: 1, total: 2, totalPages: 2 },
  });
  const all = (await platform.api("GET", "/api/auth/sessions", { token })).body.data;
  expect(all.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
  expect((await platform.api("DELETE", `/api/auth/sessions/${strangerSession}`, { token })).status).toBe(404);
  expect((await platform.api("DELETE", "/api/auth/sessions/ses_nothing", { token })).status).toBe(404);
  const ended = list.body.data[0].id;
  expect((await platform.api("DELETE", `/api/auth/sessions/${ended}`, { token })).status).toBe(204);
  expect((await platform.api("DELETE", `/api/auth/sessions/${ended}`, { token })).status).toBe(404);
  expect((await whoAmI(platform, second.body.token)).status).toBe(401);
  expect((await whoAmI(platform, stranger.token)).status).toBe(200);
});

test("only members can select an organization, and the selection persists across logins until the membership ends", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const owner = await platform.addUser();
  const { email, token, user, organization } = await signUpUser(platform);
  const choose = (organizationId: string) =>
    platform.api("PUT", "/api/auth/active-organization", { token, body: { organizationId } });
  expect((await choose(owner.organizationId)).status).toBe(404);
  expect((await choose("org_nothing")).status).toBe(404);
  const members = { organization_id: owner.organizationId, user_id: user.id };
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .insertInto("organization_members")
      .values({ ...members, role: "member" })
      .execute(),
  );
  expect(await choose(owner.organizationId)).toMatchObject({
    status: 200,
    body: { organization: { id: owner.organizationId, role: "member", active: true } },
  });
  const active = async (ofToken: string) => (await whoAmI(platform, ofToken)).body.activeOrganizationId;
  expect(await active(token)).toBe(owner.organizationId);
  const later = (await signIn(platform, email)).body.token;
  expect(await active(later)).toBe(owner.organizationId);
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .deleteFrom("organization_members")
      .where("user_id", "=", user.id)
      .where("organization_id", "=", owner.organizationId)
      .execute(),
  );
  expect(await active(token)).toBe(organization.id);
  expect(await active((await signIn(platform, email)).body.token)).toBe(organization.id);
});

test("a password change requires the old password and ends all other sessions and all earlier tokens", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  const other = (await signIn(platform, email)).body.token;
  const change = (currentPassword: string, newPassword: string) =>
    platform.api("POST", "/api/auth/password", { token, body: { currentPassword, newPassword } });
  expect((await change("not the password", "thunder over the lake")).status).toBe(401);
  expect((await change(PASSWORD, "short")).body.details.reason).toBe("WEAK_PASSWORD");
  expect((await change(PASSWORD, email)).body.details.reason).toBe("WEAK_PASSWORD");
  const answer = await change(PASSWORD, "thunder over the lake");
  expect(answer.status).toBe(200);
  expect((await whoAmI(platform, answer.body.token)).status).toBe(200);
  expect((await whoAmI(platform, token)).status).toBe(401);
  expect((await whoAmI(platform, other)).status).toBe(401);
  expect((await signIn(platform, email)).status).toBe(401);
  expect((await signIn(platform, email, "thunder over the lake")).status).toBe(200);
  expect((await readAudit(database, email)).map(({ action }) => action)).toContain("user.password_changed");
});

test("wrong passwords with a stolen token lock the token's session, not the owner's login", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  for (let tries = 0; tries < 5; tries += 1) {
    const body = { password: `guess number ${tries}` };
    expect((await platform.api("POST", "/api/auth/reauthenticate", { token, body })).status).toBe(401);
  }
  const body = { currentPassword: PASSWORD, newPassword: "thunder over the lake" };
  expect((await platform.api("POST", "/api/auth/password", { token, body })).status).toBe(429);
  // The owner's login has a separate counter, so wrong passwords with a stolen token can't lock it (decision 46).
  expect((await signIn(platform, email)).status).toBe(200);
});

test("a login that is in progress while the password changes opens no session", async ({ database }) => {
  const real = createPasswordHasher();
  const { promise: changed, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: checked, resolve: noteChecked } = Promise.withResolvers<void>();
  let isHeld = false;
  const verify: typeof real.verify = async (...args) => {
    const isRight = await real.verify(...args);
    if (isHeld) {
      isHeld = false;
      noteChecked();
      await changed;
    }
    return isRight;
  };
  const platform = await startIdentity(database, { services: { passwords: { ...real, verify } } });
  const { email, token } = await signUpUser(platform);
  isHeld = true;
  const login = signIn(platform, email);
  await checked;
  const body = { currentPassword: PASSWORD, newPassword: "thunder over the lake" };
  expect((await platform.api("POST", "/api/auth/password", { token, body })).status).toBe(200);
  letGo();
  expect((await login).status).toBe(401);
});
