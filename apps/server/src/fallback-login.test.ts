import { OneTimeLinks } from "@tollgate/platform/pages/one-time-link.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { expect, onTestFinished } from "vitest";
import { askPage, cookieOf, startPages } from "./console.fixture.ts";
import { PASSWORD, test } from "./hosted-platform.fixture.ts";
import { openPostgresProxy } from "./postgres-proxy.fixture.ts";
import type { PlatformStart } from "./start-platform.ts";

const ROOT = "general_settings: { server_root_path: /x/y }";

async function startForms(database: TestDatabase, yaml = "", more: Partial<PlatformStart> = {}) {
  const hosted = await startPages(database, yaml, more);
  const { email } = await hosted.signUp();
  const { url } = hosted;
  const login = (form: Record<string, string>, headers: Record<string, string> = { origin: url }, path = "/login") =>
    askPage(url, path, { form: { username: email, password: PASSWORD, ...form }, headers });
  return { ...hosted, email, login };
}

test.for([
  ["", "", "/"],
  ["/x/y", ROOT, "/x/y"],
] as const)("a user can sign in and out using only forms at '%s'", async ([root, yaml, cookiePath], { database }) => {
  const { url, email, login } = await startForms(database, yaml);
  const page = await askPage(url, `${root}/fallback/login`);
  expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(page.text).toContain(`action="${root}/login"`);
  expect(page.text).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1)|src=|@import|url\(/);
  // The policy isn't `no-referrer`, which would also hide the form's Origin header, and the origin check needs that
  // header.
  expect(page.headers["referrer-policy"]).toBe("same-origin");
  expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action/);

  const signedIn = await login({}, { origin: url }, `${root}/login`);
  expect(signedIn).toMatchObject({ status: 303, headers: { location: `${root}/ui/` } });
  expect(signedIn.headers["set-cookie"]?.[0]).toMatch(
    new RegExp(`^tollgate_session=[\\w.-]+; Path=${cookiePath}; HttpOnly; SameSite=Lax; Max-Age=2592000$`),
  );
  const cookie = cookieOf(signedIn);
  const me = () => askPage(url, `${root}/api/auth/me`, { headers: { cookie } });
  expect(JSON.parse((await me()).text)).toMatchObject({ user: { email } });

  const foreign = { method: "POST", headers: { cookie, origin: "https://evil.example" } };
  expect((await askPage(url, `${root}/logout`, foreign)).status).toBe(403);
  expect((await me()).status).toBe(200);
  // Console pages send `Origin: null` with forms. The Sec-Fetch-Site header proves that the forms are same-origin.
  const headers = { cookie, origin: "null", "sec-fetch-site": "same-origin" };
  const signedOut = await askPage(url, `${root}/logout`, { method: "POST", headers });
  expect(signedOut).toMatchObject({ status: 303, headers: { location: `${root}/fallback/login` } });
  expect(signedOut.headers["set-cookie"]?.[0]).toContain(`Path=${cookiePath}; HttpOnly; SameSite=Lax; Max-Age=0`);
  expect((await me()).status).toBe(401);
});

test("login errors are shown on the page, with the email address filled in and the password omitted", async ({
  database,
}) => {
  const { login } = await startForms(database);
  const wrong = await login({ password: "not the password" });
  expect(wrong.status).toBe(401);
  expect(wrong.headers["set-cookie"]).toBeUndefined();
  expect(wrong.headers["www-authenticate"]).toBeUndefined();
  expect(wrong.text).toContain("The email address, password, or code is wrong.");
  expect(wrong.text).not.toContain("not the password");
  const injected = await login({ username: `"><script>alert(1)</script>` });
  expect(injected.status).toBe(401);
  expect(injected.text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
  expect(injected.text).not.toContain("<script");
});

test("form logins are limited to five per minute per IP address, and each login is audited", async ({ database }) => {
  const { login } = await startForms(database);
  const statuses: number[] = [];
  for (let tries = 0; tries < 5; tries += 1)
    statuses.push((await login({ password: "wrong", username: `p${tries}@example.org` })).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401]);
  const refused = await login({});
  expect(refused).toMatchObject({ status: 429, headers: { "retry-after": /^\d+$/ } });
  expect(refused.text).toContain("Rate limit of 5 requests per minute");
  const failures = await querySql(
    database.connectionString,
    "select from audit_log where action = 'user.login_failed' and organization_id is null",
  );
  expect(failures.length).toBeGreaterThanOrEqual(5);
});

test("only forms from same-origin pages and non-browser clients are accepted, and other forms don't count as attempts", async ({
  database,
}) => {
  const { login } = await startForms(database);
  type Headers = Record<string, string>;
  const foreign: Headers[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ];
  const own: Headers[] = [{ origin: "null", "sec-fetch-site": "same-origin" }, {}];
  for (const headers of [...foreign, ...foreign]) {
    const answer = await login({}, headers);
    expect(answer.status, JSON.stringify(headers)).toBe(403);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  }
  for (const headers of own) {
    expect((await login({}, headers)).status, JSON.stringify(headers)).toBe(303);
  }
});

test("a login form redirects only to the console", async ({ database }) => {
  const { url, login } = await startForms(database);
  const elsewhere = { next: "https://evil.example", redirect: "//evil.example", return_to: "//evil.example" };
  const answer = await login(elsewhere, { origin: url }, "/login?next=//evil.example");
  expect(answer.headers.location).toBe("/ui/");
  expect((await askPage(url, "/ui//evil.example")).headers.location).toBeUndefined();
  expect((await askPage(url, "/ui?//evil.example")).headers.location).toBe("/ui/?//evil.example");
});

test("large bodies, other content types, and other methods are rejected", async ({ database }) => {
  const { url, login } = await startForms(database);
  for (const length of [5_000, 500_000]) expect((await login({ password: "x".repeat(length) })).status).toBe(413);
  const json = { method: "POST", headers: { "content-type": "application/json", origin: url } };
  expect((await askPage(url, "/login", json)).status).toBe(415);
  expect(await askPage(url, "/login")).toMatchObject({ status: 303, headers: { location: "/fallback/login" } });
  expect((await askPage(url, "/fallback/login", { method: "POST" })).status).toBe(405);
  expect((await askPage(url, "/logout")).status).toBe(405);
});

test("an unavailable database is reported as an outage, not as a wrong password", async ({ database }) => {
  const proxy = await openPostgresProxy(database.connectionString);
  onTestFinished(() => proxy.close());
  const { url, login } = await startForms(database, "", { connectionString: proxy.connectionString });
  proxy.cut();
  const answer = await login({});
  expect(answer.status).toBe(503);
  expect(answer.text).toContain("The database is unavailable");
  expect((await askPage(url, "/fallback/login")).status).toBe(200);
  expect((await askPage(url, "/ui/")).status).toBe(200);
});

test("a one-time sign-in link works once", async ({ database }) => {
  const first = await startPages(database);
  const { email, token } = await first.signUp();
  const { body } = await first.api("GET", "/api/auth/me", { token });
  const oneTimeLinks = new OneTimeLinks({ userId: body.user.id, email, role: "user" });
  const { url } = await startForms(database, ROOT, { development: { oneTimeLinks } });
  const path = `/x/y/ui/once/${oneTimeLinks.issue("/ui/logs?range=7d", Date.now())}`;
  expect((await askPage(url, "/x/y/ui/once/2222-2222")).status).toBe(410);
  // Prefetches and HEAD requests don't use up the code.
  expect((await askPage(url, path, { headers: { "sec-purpose": "prefetch" } })).status).toBe(503);
  expect((await askPage(url, path, { method: "HEAD" })).status).toBe(503);
  // A page that embeds wrong codes can't invalidate the links.
  for (let tries = 0; tries < 20; tries += 1) {
    const embedded = { headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" } };
    expect((await askPage(url, "/x/y/ui/once/2222-2222", embedded)).status).toBe(503);
  }
  const followed = await askPage(url, path, { headers: { "sec-fetch-site": "none", "sec-fetch-dest": "document" } });
  expect(followed).toMatchObject({
    status: 303,
    headers: { location: "/x/y/ui/logs?range=7d", "cache-control": "no-store" },
  });
  const me = await askPage(url, "/x/y/api/auth/me", { headers: { cookie: cookieOf(followed) } });
  expect(JSON.parse(me.text)).toMatchObject({ user: { email } });
  const again = await askPage(url, path);
  expect(again.status).toBe(410);
  expect(again.headers["set-cookie"]).toBeUndefined();
});

test("a one-time link expires after ten minutes and is invalidated after many wrong codes", () => {
  const owner = { userId: 1, email: "dev@localhost", role: "admin" } as const;
  const links = new OneTimeLinks(owner);
  const [first, second, third] = ["/ui/", "/ui/logs", "/ui/keys"].map((page) => links.issue(page, 0)) as [
    string,
    string,
    string,
  ];
  expect(links.take(first, 600_001)).toBeNull();
  expect(links.take(second.toLowerCase().replace("-", ""), 600_000)).toEqual({ owner, page: "/ui/logs" });
  expect(links.take(second, 600_000)).toBeNull();
  for (let tries = 0; tries < 20; tries += 1) links.take("2222-2222", 1);
  expect(links.take(third, 1)).toBeNull();
});
