import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { TestPlatform } from "../platform.fixture.ts";
import { PASSWORD, readAudit, signUpUser, startIdentity, whoAmI, withMail } from "./identity.fixture.ts";

const DAY = 24 * 3_600_000;
const cookieOf = (answer: { headers: Headers }): string => answer.headers.get("set-cookie")?.split(";")[0] ?? "";
const openCookie = (platform: TestPlatform, email: string, headers = {}) =>
  platform.api("POST", "/api/auth/session", { body: { email, password: PASSWORD }, headers });

test("a browser gets its session as an HttpOnly cookie, which authenticates its requests", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  const answer = await openCookie(platform, email, { origin: platform.url });
  expect(answer).toMatchObject({ status: 204, text: "" });
  const [session, device] = answer.headers.getSetCookie();
  expect(session).toMatch(/^tollgate_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
  expect(device).toMatch(/^tollgate_device=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/);
  const me = await platform.api("GET", "/api/auth/me", { headers: { cookie: cookieOf(answer) } });
  expect(me).toMatchObject({ status: 200, body: { user: { email } } });
  expect(me.body.session.id).not.toBe((await whoAmI(platform, token)).body.session.id);
});

test("with HTTPS, the cookie is bound to the host, and the unprefixed cookie name is rejected", async ({
  database,
}) => {
  const platform = await startIdentity(database, { settings: { publicUrl: "https://console.example.org" } });
  const { email, token } = await signUpUser(platform);
  const answer = await openCookie(platform, email, { origin: "https://console.example.org" });
  expect(answer.headers.get("set-cookie")).toMatch(/^__Host-tollgate_session=[^;]+; Path=\/; HttpOnly; .*; Secure$/);
  const meBy = (cookie: string) => platform.api("GET", "/api/auth/me", { headers: { cookie } });
  expect((await meBy(cookieOf(answer))).status).toBe(200);
  expect((await meBy(`tollgate_session=${token}`)).status).toBe(401);
});

test("exchanges a bearer token for a separate browser session", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  const answer = await platform.api("POST", "/api/auth/session", { token });
  expect(answer.status).toBe(204);
  expect((await readAudit(database, email)).map(({ action }) => action)).toEqual(["user.signed_up", "user.logged_in"]);
  const headers = { cookie: cookieOf(answer) };
  expect((await platform.api("GET", "/api/auth/me", { headers })).status).toBe(200);
  await platform.api("POST", "/api/auth/logout", { token });
  expect((await platform.api("GET", "/api/auth/me", { headers })).status).toBe(200);
  expect((await platform.api("POST", "/api/auth/session", { token })).status).toBe(401);
});

test("a session that is created from another session expires at the same time", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  const { expiresAt } = (await whoAmI(platform, token)).body.session;
  platform.advance(DAY);
  const refreshed = await platform.api("POST", "/api/auth/token/refresh", { token });
  const answer = await platform.api("POST", "/api/auth/session", { token: refreshed.body.token });
  const me = await platform.api("GET", "/api/auth/me", { headers: { cookie: cookieOf(answer) } });
  expect(me.body.session.expiresAt).toBe(expiresAt);
  const maxAge = Number(/Max-Age=(\d+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1]);
  expect(maxAge).toBeLessThanOrEqual((29 * DAY) / 1_000);
  expect(maxAge).toBeGreaterThan((28 * DAY) / 1_000);
});

test("rejects a cross-origin login", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email } = await signUpUser(platform);
  const answer = await openCookie(platform, email, { origin: "https://evil.example" });
  expect(answer).toMatchObject({ status: 403, body: { details: { reason: "CROSS_ORIGIN" } } });
  expect(answer.headers.get("set-cookie")).toBeNull();
});

test.for([
  [{}, 403, "no origin and no CSRF header"],
  [{ origin: "own" }, 403, "no CSRF header"],
  [{ "x-gw-csrf": "1" }, 403, "no origin"],
  [{ origin: "https://evil.example", "x-gw-csrf": "1" }, 403, "another site"],
  [{ origin: "null", "x-gw-csrf": "1" }, 403, "a sandboxed frame"],
  [{ origin: "own", "x-gw-csrf": "1" }, 200, "the console's own pages"],
] as const)("a cookie-authenticated change with %j returns %i: %s", async ([sent, status], { database }) => {
  const platform = await startIdentity(database);
  const { email, organization } = await signUpUser(platform);
  const cookie = cookieOf(await openCookie(platform, email));
  const headers = { ...sent, cookie, ...("origin" in sent && sent.origin === "own" && { origin: platform.url }) };
  const body = { organizationId: organization.id };
  expect((await platform.api("PUT", "/api/auth/active-organization", { headers, body })).status).toBe(status);
});

test("refreshing a cookie session sets a new cookie and never returns the token", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email } = await signUpUser(platform);
  const cookie = cookieOf(await openCookie(platform, email));
  const own = { cookie, origin: platform.url, "x-gw-csrf": "1" };
  expect((await platform.api("POST", "/api/auth/token/refresh", { headers: { cookie } })).status).toBe(403);
  platform.advance(25 * 3_600_000);
  const answer = await platform.api("POST", "/api/auth/token/refresh", { headers: own });
  expect(answer).toMatchObject({ status: 204, text: "" });
  expect(cookieOf(answer)).not.toBe(cookie);
  expect((await platform.api("GET", "/api/auth/me", { headers: { cookie: cookieOf(answer) } })).status).toBe(200);
  const body = { currentPassword: PASSWORD, newPassword: "thunder over the lake" };
  const headers = { ...own, cookie: cookieOf(answer) };
  const changed = await platform.api("POST", "/api/auth/password", { headers, body });
  expect(changed).toMatchObject({ status: 204, text: "" });
  expect((await platform.api("GET", "/api/auth/me", { headers: { cookie: cookieOf(changed) } })).status).toBe(200);
});

test("logging out a browser ends its session and clears the cookie, even if the cookie is invalid", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { email } = await signUpUser(platform);
  const cookie = cookieOf(await openCookie(platform, email));
  const own = { origin: platform.url, "x-gw-csrf": "1" };
  expect((await platform.api("DELETE", "/api/auth/session", { headers: { cookie } })).status).toBe(403);
  const answer = await platform.api("DELETE", "/api/auth/session", { headers: { ...own, cookie } });
  expect(answer.status).toBe(204);
  expect(answer.headers.get("set-cookie")).toMatch(/^tollgate_session=; .*Max-Age=0/);
  expect((await platform.api("GET", "/api/auth/me", { headers: { cookie } })).status).toBe(401);
  const stale = { ...own, cookie: "tollgate_session=nonsense" };
  expect((await platform.api("DELETE", "/api/auth/session", { headers: stale })).status).toBe(204);
});

test("an invalid bearer token is rejected even with a valid cookie", async ({ database }) => {
  const platform = await startIdentity(database, { settings: withMail() });
  const { email } = await signUpUser(platform);
  const cookie = cookieOf(await openCookie(platform, email));
  for (const authorization of ["Bearer nonsense", "Basic YTpi", "Bearer"]) {
    expect((await platform.api("GET", "/api/auth/me", { headers: { cookie, authorization } })).status).toBe(401);
  }
});
