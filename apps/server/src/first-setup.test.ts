import { Secret } from "@tollgate/domain/secret.ts";
import { makeSetupToken } from "@tollgate/platform/identity/setup-token.ts";
import { cloneDatabase, querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test as base, expect } from "vitest";
import { askPage, cookieOf, startPages } from "./console.fixture.ts";
import { PASSWORD, SECRET_KEY } from "./hosted-platform.fixture.ts";

// Only a database without accounts can be set up, so each test needs a separate database.
const test = base.extend<{ database: TestDatabase }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  database: async ({}, use) => {
    const database = await cloneDatabase();
    await use(database);
    await database.drop();
  },
});

const TOKEN = makeSetupToken(new Secret(SECRET_KEY)).reveal();
const MASTER_KEY = "sk-master-key-of-a-new-server-0123456789";
const admin = { username: "ada@example.org", password: PASSWORD, name: "Ada", organization: "Acme" };

const count = async (database: TestDatabase, table: string) => {
  const [row] = await querySql<{ count: string }>(database.connectionString, `select count(*) from ${table}`);
  return Number(row?.count);
};

test("the setup creates one administrator with the token, is audited, and then never opens again", async ({
  database,
}) => {
  const { url } = await startPages(database);
  const submit = (form: Record<string, string>, headers: Record<string, string> = { origin: url }) =>
    askPage(url, "/ui/setup", { form, headers });
  const page = await askPage(url, "/ui/setup");
  expect(page.status).toBe(200);
  expect(page.text).not.toContain(TOKEN);
  const front = await askPage(url, "/", { headers: { accept: "text/html" } });
  expect(front.text).toContain('<a href="/ui/setup">');

  for (const token of ["", "wrong", TOKEN.toLowerCase()]) {
    const refused = await submit({ ...admin, token });
    expect(refused).toMatchObject({ status: 401, text: expect.stringContaining("The setup token is wrong.") });
    expect(refused.headers["set-cookie"]).toBeUndefined();
  }
  expect((await submit({ ...admin, token: TOKEN }, { origin: "https://evil.example" })).status).toBe(403);
  expect((await submit({ ...admin, token: TOKEN, password: "short" })).text).toContain("The password");
  expect(await count(database, "users")).toBe(0);

  const done = await submit({ ...admin, token: TOKEN });
  expect(done).toMatchObject({ status: 303, headers: { location: "/ui/" } });
  const me = await askPage(url, "/api/auth/me", { headers: { cookie: cookieOf(done) } });
  expect(JSON.parse(me.text)).toMatchObject({ user: { email: admin.username, role: "admin", name: "Ada" } });
  expect(await count(database, "audit_log where action in ('user.signed_up', 'server.set_up')")).toBe(2);

  const closed = { status: 303, headers: { location: "/ui/login" } };
  expect(await askPage(url, "/ui/setup")).toMatchObject(closed);
  expect(await submit({ ...admin, token: TOKEN, username: "eve@example.org" })).toMatchObject(closed);
  expect(await count(database, "users")).toBe(1);
});

test("names that the API rejects are rejected, and the form shows why", async ({ database }) => {
  const { url } = await startPages(database);
  for (const wrong of [{ name: "a\0b" }, { organization: "a\u001b[31mb" }, { name: "x".repeat(101) }]) {
    const form = { ...admin, ...wrong, token: TOKEN };
    const rejected = await askPage(url, "/ui/setup", { form, headers: { origin: url } });
    const [field] = Object.keys(wrong);
    expect(rejected).toMatchObject({ status: 400, text: expect.stringContaining(`The ${field} must have`) });
  }
  expect(await count(database, "users")).toBe(0);
});

test("of two concurrent submissions with the master key, one creates the account", async ({ database }) => {
  const { url } = await startPages(database, `general_settings: { master_key: ${MASTER_KEY} }`);
  const submissions = ["ada@example.org", "eve@example.org"].map((username) =>
    askPage(url, "/ui/setup", { form: { ...admin, username, token: MASTER_KEY }, headers: { origin: url } }),
  );
  const locations = (await Promise.all(submissions)).map(({ headers }) => headers.location);
  expect(locations.toSorted()).toEqual(["/ui/", "/ui/login"]);
  expect(await count(database, "users")).toBe(1);
});
