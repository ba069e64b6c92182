import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { TestPlatform } from "../platform.fixture.ts";
import { readAudit, signUpUser, startIdentity, whoAmI } from "./identity.fixture.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const refresh = (platform: TestPlatform, token: string) => platform.api("POST", "/api/auth/token/refresh", { token });
const jtiOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString()).jti;

test("a refresh returns a new token for the same session, and the old token stays valid for a minute", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  const answer = await refresh(platform, token);
  expect(answer.status).toBe(200);
  expect(jtiOf(answer.body.token)).not.toBe(jtiOf(token));
  const [before, after] = [await whoAmI(platform, token), await whoAmI(platform, answer.body.token)];
  expect(after.body.session.id).toBe(before.body.session.id);
  platform.advance(59 * SECOND);
  expect((await whoAmI(platform, token)).status).toBe(200);
  platform.advance(2 * SECOND);
  expect(await whoAmI(platform, token)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect((await whoAmI(platform, answer.body.token)).status).toBe(200);
});

test("refreshing a token that was replaced more than a minute ago ends the session", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token, email } = await signUpUser(platform);
  const next = (await refresh(platform, token)).body.token;
  platform.advance(61 * SECOND);
  expect(await refresh(platform, token)).toMatchObject({
    status: 401,
    body: { details: { reason: "SESSION_REVOKED" } },
  });
  expect(await whoAmI(platform, next)).toMatchObject({ status: 401, body: { details: { reason: "SESSION_REVOKED" } } });
  expect((await refresh(platform, next)).status).toBe(401);
  const actions = (await readAudit(database, email)).map(({ action }) => action);
  expect(actions.filter((action) => action === "session.reuse_detected")).toHaveLength(1);
});

test("refreshing a token that was replaced twice ends the session immediately", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  const second = (await refresh(platform, token)).body.token;
  const third = (await refresh(platform, second)).body.token;
  expect((await refresh(platform, token)).status).toBe(401);
  expect((await whoAmI(platform, third)).status).toBe(401);
});

test("concurrent refreshes all return the same new token and don't count as token reuse", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(platform, token)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(new Set(answers.map(({ body }) => jtiOf(body.token))).size).toBe(1);
  platform.advance(2 * 60 * SECOND);
  const later = await Promise.all(answers.map(({ body }) => refresh(platform, body.token)));
  expect(later.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
});

test("an expired token grants no access but can be refreshed for seven days", async ({ database }) => {
  const platform = await startIdentity(database);
  const [one, other] = [await signUpUser(platform), await signUpUser(platform)];
  platform.advance(25 * HOUR);
  expect(await whoAmI(platform, one.token)).toMatchObject({
    status: 401,
    body: { details: { reason: "TOKEN_EXPIRED" } },
  });
  const answer = await refresh(platform, one.token);
  expect(answer.status).toBe(200);
  expect((await whoAmI(platform, answer.body.token)).status).toBe(200);
  platform.advance(7 * DAY);
  expect((await refresh(platform, other.token)).status).toBe(401);
});

test("a session that is idle for seven days expires, even with an unexpired token", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  platform.advance(6 * DAY);
  const fresh = (await refresh(platform, token)).body.token;
  platform.advance(7 * DAY + 60 * SECOND);
  expect((await refresh(platform, fresh)).status).toBe(401);
});

test("a session expires after thirty days, even if it is active", async ({ database }) => {
  const platform = await startIdentity(database);
  let { token } = await signUpUser(platform);
  for (let days = 0; days < 29; days += 1) {
    platform.advance(DAY);
    const answer = await refresh(platform, token);
    expect(answer.status).toBe(200);
    token = answer.body.token;
  }
  platform.advance(DAY + 60 * SECOND);
  expect((await refresh(platform, token)).status).toBe(401);
});

test("the role comes from the database, not from the token", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token, email } = await signUpUser(platform);
  const setRole = (role: "user" | "admin") =>
    runUnauthenticated(platform.services.db, (transaction) =>
      transaction.updateTable("users").set({ role }).where("email", "=", email).execute(),
    );
  await setRole("admin");
  expect((await whoAmI(platform, token)).body.user.role).toBe("admin");
  const promoted = (await refresh(platform, token)).body.token;
  await setRole("user");
  expect((await whoAmI(platform, promoted)).body.user.role).toBe("user");
});

test.for([
  [undefined, "no header"],
  ["", "no token after the scheme"],
  ["nonsense", "text that is not a token"],
  ["a.b.c", "three invalid parts"],
] as const)("rejects a refresh with %j: %s", async ([token], { database }) => {
  const platform = await startIdentity(database);
  const answer = await platform.api("POST", "/api/auth/token/refresh", token === undefined ? {} : { token });
  expect(answer).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});
