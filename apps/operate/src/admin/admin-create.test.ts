import { Readable } from "node:stream";
import { test } from "@tollgate/server/hosted-platform.fixture.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { expect } from "vitest";
import { adminCreate } from "./admin-create.ts";

async function create(database: TestDatabase, args: readonly string[], password?: string) {
  let out = "";
  let err = "";
  const code = await adminCreate(args, {
    ...(password !== undefined && { stdin: Readable.from([password]) as unknown as NodeJS.ReadableStream }),
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    env: { DATABASE_URL: database.connectionString },
    cwd: "/",
    apps,
  });
  return { code, out, err };
}

test("a new administrator can sign in with the generated password and use admin endpoints", async ({
  hosted,
  database,
}) => {
  const made = await create(database, ["--email", " Root@Example.org ", "--json"]);
  expect(made).toMatchObject({ code: 0, err: "" });
  const { email, password, outcome } = JSON.parse(made.out);
  expect({ email, outcome }).toEqual({ email: "root@example.org", outcome: "created" });
  const { status, body } = await hosted.api("POST", "/api/auth/token", { body: { email, password } });
  expect(status).toBe(200);
  expect((await hosted.api("GET", "/api/admin/users", { token: body.token })).status).toBe(200);
});

test("an existing account is promoted and keeps its password, and setting a new password from stdin ends its sessions", async ({
  hosted,
  database,
}) => {
  const person = await hosted.signUp();
  const users = () => hosted.api("GET", "/api/admin/users", { token: person.token });
  expect((await users()).status).toBe(403);
  const promoted = await create(database, ["--email", person.email]);
  expect(promoted.out).toMatch(/is now an administrator \(user \d+\)\n$/);
  expect((await users()).status).toBe(200);

  const password = "another long and good one";
  expect((await create(database, ["--email", person.email, "--password-stdin"], `${password}\n`)).out).toContain(
    "already",
  );
  expect((await users()).status).toBe(401);
  const signedIn = await hosted.api("POST", "/api/auth/token", { body: { email: person.email, password } });
  expect(signedIn.status).toBe(200);
});

test.for([
  [["--email", "invalid"], undefined, "--email"],
  [[], undefined, "--email"],
  [["--email", "short@example.org", "--password-stdin"], "short", "at least 10"],
  [["--email", "none@example.org", "--password-stdin"], undefined, "at least 10"],
] as const)("rejects %o before creating an account", async ([args, password, reason], { database }) => {
  expect(await create(database, args, password)).toEqual({ code: 2, out: "", err: expect.stringContaining(reason) });
});
