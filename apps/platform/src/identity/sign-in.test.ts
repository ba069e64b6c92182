import { hash } from "@node-rs/argon2";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { createPasswordHasher } from "../adapters/argon2-hasher.ts";
import {
  makeAddress,
  PASSWORD,
  readAudit,
  signIn,
  signUpUser,
  startIdentity,
  whoAmI,
  withMail,
} from "./identity.fixture.ts";

test("a correct password returns a token for a new session with the documented claims", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, user, token: first } = await signUpUser(platform);
  const answer = await signIn(platform, email.toUpperCase());
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body)).toEqual(["token", "expiresAt"]);
  const [header, claims] = answer.body.token
    .split(".")
    .slice(0, 2)
    .map((part: string) => JSON.parse(Buffer.from(part, "base64url").toString()));
  expect(header).toEqual({ alg: "EdDSA", typ: "JWT", kid: expect.any(String) });
  expect(Object.keys(claims).toSorted()).toEqual(["aud", "exp", "iat", "iss", "jti", "role", "sid", "sub"]);
  expect(claims).toMatchObject({ aud: "management", sub: String(user.id), role: "user" });
  expect(claims.exp - claims.iat).toBe(86_400);
  const sessions = await Promise.all([whoAmI(platform, first), whoAmI(platform, answer.body.token)]);
  expect(new Set(sessions.map(({ body }) => body.session.id)).size).toBe(2);
  expect((await readAudit(database, email)).map(({ action }) => action)).toEqual(["user.signed_up", "user.logged_in"]);
});

test("an unknown email address and a wrong password get the same response and the same audit entry", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { email, user } = await signUpUser(platform);
  const unknown = makeAddress();
  const answers = [
    await signIn(platform, email, "not the password"),
    await signIn(platform, unknown, "not the password"),
  ];
  const [wrong, unregistered] = answers.map(({ status, body, headers }) => ({
    status,
    body: { ...body, requestId: null },
    names: [...headers.keys()],
    challenge: headers.get("www-authenticate"),
  }));
  expect(wrong).toEqual(unregistered);
  expect(wrong).toMatchObject({ status: 401, challenge: "Bearer", body: { code: "UNAUTHORIZED" } });
  const [failed] = (await readAudit(database, email)).slice(-1);
  expect(failed).toMatchObject({ action: "user.login_failed", subjects: [user.id] });
  expect(await readAudit(database, unknown)).toMatchObject([{ action: "user.login_failed", subjects: [] }]);
});

test("the stored hash does not work as a password and never appears in a response", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  const stored = await readHash(database, email);
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect((await signIn(platform, email, stored)).status).toBe(401);
  for (const path of ["/api/auth/me", "/api/auth/sessions"]) {
    expect((await platform.api("GET", path, { token })).text).not.toContain("$argon2");
  }
});

test("many concurrent successful logins do not lock the account", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email } = await signUpUser(platform);
  const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(platform, email)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
});

test("34 concurrent logins are checked, and further logins get 429 immediately", async ({ database }) => {
  const real = createPasswordHasher();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const verify: typeof real.verify = async (...args) => {
    await released;
    return real.verify(...args);
  };
  const platform = await startIdentity(database, { services: { passwords: { ...real, verify } } });
  let refused = 0;
  const answers = Array.from({ length: 80 }, async () => {
    const answer = await signIn(platform, makeAddress());
    if (answer.status === 429) refused += 1;
    // No password was checked before this point, so these requests were refused without waiting.
    if (refused === 80 - 34) release();
    return answer;
  });
  for (const { status, body, headers } of await Promise.all(answers)) {
    if (status !== 429) continue;
    expect(body.details.reason).toBe("RATE_LIMITED");
    expect(headers.get("retry-after")).toBe("1");
  }
  expect(refused).toBe(80 - 34);
});

test("limits logins per minute for each IP address", async ({ database }) => {
  const platform = await startIdentity(database, {
    settings: { limits: { ...defaultPlatformSettings.limits, loginsPerMinutePerAddress: 3 } },
  });
  const statuses: number[] = [];
  for (let tries = 0; tries < 4; tries += 1) statuses.push((await signIn(platform, makeAddress())).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
});

test("a password hash with weaker parameters is replaced at the next login", async ({ database }) => {
  const platform = await startIdentity(database);
  const weak = await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
  const { email } = await platform.addUser({ passwordHash: weak });
  expect((await signIn(platform, email)).status).toBe(200);
  expect(await readHash(database, email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,/);
  expect((await signIn(platform, email)).status).toBe(200);
});

test("a disabled account is reported only if the password is correct", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  await setStatus(platform.services.db, email, "disabled");
  expect(await signIn(platform, email)).toMatchObject({
    status: 403,
    body: { details: { reason: "ACCOUNT_DISABLED" } },
  });
  expect(await signIn(platform, email, "not the password")).toMatchObject({ status: 401 });
  expect(await whoAmI(platform, token)).toMatchObject({
    status: 403,
    body: { details: { reason: "ACCOUNT_DISABLED" } },
  });
  expect((await platform.api("POST", "/api/auth/token/refresh", { token })).status).toBe(403);
});

test("an account without a verified email address gets an error instead of a token", async ({ database }) => {
  const open = await startIdentity(database);
  const { email } = await signUpUser(open);
  const strict = await startIdentity(database, { settings: withMail({ verifyEmail: true }) });
  expect(await signIn(strict, email)).toMatchObject({ status: 403, body: { details: { reason: "EMAIL_UNVERIFIED" } } });
  expect((await signIn(strict, email, "not the password")).status).toBe(401);
});

test.for([
  [{}, "no email address and no password"],
  [{ email: "ada@example.org" }, "no password"],
  [{ password: PASSWORD }, "no email address"],
  [{ email: 7, password: PASSWORD }, "an email address that is not a string"],
  [{ email: "ada@example.org", password: { $ne: null } }, "a password that is not a string"],
  [{ email: "ada@example.org", password: "x".repeat(1_025) }, "a password that is too long"],
] as const)("rejects a body %j: %s", async ([body], { database }) => {
  const platform = await startIdentity(database);
  expect(await platform.api("POST", "/api/auth/token", { body })).toMatchObject({ status: 400 });
});

test("rejects bodies over four kilobytes, unsupported content types, and tokens in the query string", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  const large = { email: makeAddress(), password: "x", padding: "x".repeat(5_000) };
  expect((await platform.api("POST", "/api/auth/token", { body: large })).status).toBe(413);
  const form = { body: "email=a@b&password=c", headers: { "content-type": "application/x-www-form-urlencoded" } };
  expect((await platform.api("POST", "/api/auth/token", form)).status).toBe(415);
  expect((await platform.api("GET", `/api/auth/me?token=${token}&access_token=${token}`)).status).toBe(401);
});

function readHash(database: TestDatabase, email: string): Promise<string> {
  return runUnauthenticated(database.connect("tollgate_platform"), async (transaction) => {
    const row = await transaction
      .selectFrom("user_credentials as c")
      .innerJoin("users as u", "u.id", "c.user_id")
      .select("c.password_hash")
      .where("u.email", "=", email)
      .executeTakeFirstOrThrow();
    return row.password_hash;
  });
}

function setStatus(db: Parameters<typeof runUnauthenticated>[0], email: string, status: "disabled"): Promise<unknown> {
  return runUnauthenticated(db, (transaction) =>
    transaction.updateTable("users").set({ status }).where("email", "=", email).execute(),
  );
}
