import { makeCode } from "@tollgate/domain/identity/one-time-code.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { TestPlatform } from "../platform.fixture.ts";
import { PASSWORD, readAudit, signIn, signUpUser, startIdentity, whoAmI } from "./identity.fixture.ts";

const STEP = 30_000;
const MINUTE = 60_000;

/** Creates an account with one-time codes enabled. The result includes a function that returns the current code. */
async function enrol(platform: TestPlatform) {
  const { email, token } = await signUpUser(platform);
  const { body } = await platform.api("POST", "/api/auth/totp", { token });
  const secret = fromBase32(body.secret);
  const code = () => makeCode(secret, platform.services.now());
  const confirmed = await platform.api("POST", "/api/auth/totp/confirm", { token, body: { code: code() } });
  expect(confirmed.status).toBe(204);
  platform.advance(STEP);
  return { email, token, code };
}

test("one-time codes are enabled after the user confirms a code, and every later login requires a code", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  const { status, body } = await platform.api("POST", "/api/auth/totp", { token });
  expect(status).toBe(200);
  expect(body.otpauthUrl).toContain(`secret=${body.secret}`);
  expect((await signIn(platform, email)).status).toBe(200);
  const confirm = (code: string) => platform.api("POST", "/api/auth/totp/confirm", { token, body: { code } });
  expect((await confirm("000000x")).status).toBe(400);
  const secret = fromBase32(body.secret);
  const now = platform.services.now();
  expect((await confirm(makeCode(secret, new Date(now.getTime() - 10 * STEP)))).status).toBe(400);
  expect((await confirm(makeCode(secret, now))).status).toBe(204);
  expect(await signIn(platform, email)).toMatchObject({ status: 401, body: { details: { reason: "TOTP_REQUIRED" } } });
  expect((await whoAmI(platform, token)).body.user.totpEnabled).toBe(true);
  expect((await platform.api("POST", "/api/auth/totp", { token })).status).toBe(409);
  expect((await readAudit(database, email)).map(({ action }) => action)).toContain("user.totp_enabled");
});

test("a code works only once, even in concurrent requests", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, code } = await enrol(platform);
  const totp = code();
  const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(platform, email, PASSWORD, { totp })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
  platform.advance(STEP);
  expect((await signIn(platform, email, PASSWORD, { totp: code() })).status).toBe(200);
});

test("a wrong code gets the same response as a wrong password and counts as a failed login", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, code } = await enrol(platform);
  const wrong = await signIn(platform, email, PASSWORD, { totp: "000000" === code() ? "000001" : "000000" });
  const other = await signIn(platform, email, "not the password", { totp: code() });
  expect({ ...wrong.body, requestId: null }).toEqual({ ...other.body, requestId: null });
  for (let tries = 0; tries < 3; tries += 1) await signIn(platform, email, PASSWORD, { totp: "12345678" });
  expect((await signIn(platform, email, PASSWORD, { totp: code() })).status).toBe(429);
});

test("rejects a one-time code without the password", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, code } = await enrol(platform);
  const answer = await signIn(platform, email, "not the password");
  expect(answer.body.details.reason).toBe("BAD_CREDENTIALS");
  expect((await signIn(platform, email, "not the password", { totp: code() })).status).toBe(401);
});

test("reauthentication also requires a code and unlocks protected operations for ten minutes", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token, code } = await enrol(platform);
  platform.advance(11 * MINUTE);
  const remove = () => platform.api("DELETE", "/api/auth/totp", { token });
  const show = (body: object) => platform.api("POST", "/api/auth/reauthenticate", { token, body });
  expect((await remove()).body.details.reason).toBe("REAUTHENTICATION_REQUIRED");
  expect((await show({ password: PASSWORD })).status).toBe(401);
  expect((await show({ password: "not the password", totp: code() })).status).toBe(401);
  expect((await remove()).status).toBe(403);
  expect((await show({ password: PASSWORD, totp: code() })).status).toBe(204);
  platform.advance(9 * MINUTE);
  expect((await remove()).status).toBe(204);
  expect((await whoAmI(platform, token)).body.user.totpEnabled).toBe(false);
});

test("a password change without a code does not count as reauthentication", async ({ database }) => {
  const platform = await startIdentity(database);
  const { token } = await enrol(platform);
  platform.advance(11 * MINUTE);
  const body = { currentPassword: PASSWORD, newPassword: "thunder over the lake" };
  const changed = await platform.api("POST", "/api/auth/password", { token, body });
  expect(changed.status).toBe(200);
  expect(await platform.api("DELETE", "/api/auth/totp", { token: changed.body.token })).toMatchObject({
    status: 403,
    body: { details: { reason: "REAUTHENTICATION_REQUIRED" } },
  });
});

test("only a password entry renews a session, and authentication methods and times that the client sends are ignored", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { token } = await signUpUser(platform);
  platform.advance(11 * MINUTE);
  const claims = { method: "totp", verified: true, authenticatedAt: new Date().toISOString() };
  expect((await platform.api("POST", "/api/auth/reauthenticate", { token, body: claims })).status).toBe(400);
  expect((await platform.api("POST", "/api/auth/totp", { token, body: claims })).status).toBe(403);
});

test("a password entry in one session does not renew another session", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email, token } = await signUpUser(platform);
  platform.advance(11 * MINUTE);
  const fresh = (await signIn(platform, email)).body.token;
  expect((await platform.api("POST", "/api/auth/totp", { token })).status).toBe(403);
  expect((await platform.api("POST", "/api/auth/totp", { token: fresh })).status).toBe(200);
});

function fromBase32(text: string): Buffer {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
