import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { TestPlatform } from "../platform.fixture.ts";
import {
  invite,
  makeAddress,
  PASSWORD,
  readAudit,
  readMails,
  signIn,
  signUpUser,
  startIdentity,
  tokenOf,
  whoAmI,
  withMail,
} from "./identity.fixture.ts";

const HOUR = 3_600_000;
const NEW_PASSWORD = "thunder over the lake";
const forgot = (platform: TestPlatform, email: string) =>
  platform.api("POST", "/api/auth/password/forgot", { body: { email } });
const reset = (platform: TestPlatform, token: string, newPassword = NEW_PASSWORD) =>
  platform.api("POST", "/api/auth/password/reset", { body: { token, newPassword } });
const apply = (platform: TestPlatform, email: string, more = {}) =>
  platform.api("POST", "/api/auth/sign-up", { body: { email, password: PASSWORD, ...more } });
const verify = (platform: TestPlatform, token: string) =>
  platform.api("POST", "/api/auth/verify-email", { body: { token } });

test("a reset link sets a new password once, ends every session, and lifts the login lock", async ({ database }) => {
  const platform = await startIdentity(database, { settings: withMail() });
  const { email, token } = await signUpUser(platform);
  for (let failures = 0; failures < 5; failures += 1) await signIn(platform, email, "not the password");
  expect(await forgot(platform, email)).toMatchObject({ status: 202, body: { status: "accepted" } });
  const [mail] = await readMails(platform, database);
  expect(mail).toMatchObject({ to: email, template: "reset_password" });
  expect(mail?.data.link).toMatch(/^https:\/\/console\.example\.org\/ui\/reset-password#token=[\w-]{43}$/);
  const link = tokenOf(mail);
  expect(await reset(platform, link, "short")).toMatchObject({ status: 400 });
  expect(await reset(platform, link)).toMatchObject({ status: 204, text: "" });
  expect(await reset(platform, link)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  expect((await whoAmI(platform, token)).status).toBe(401);
  expect((await signIn(platform, email)).status).toBe(401);
  expect((await signIn(platform, email, NEW_PASSWORD)).status).toBe(200);
  expect((await readMails(platform, database)).at(-1)).toMatchObject({ to: email, template: "password_changed" });
  expect((await readAudit(database, email)).map(({ action }) => action)).toContain("user.password_changed");
});

test("a reset link is valid for an hour, can be used once, and is invalidated by a later password change", async ({
  database,
}) => {
  const platform = await startIdentity(database, { settings: withMail() });
  const { email } = await signUpUser(platform);
  await forgot(platform, email);
  platform.advance(HOUR + 1_000);
  expect((await reset(platform, tokenOf((await readMails(platform, database)).at(-1)))).status).toBe(404);
  await forgot(platform, email);
  await forgot(platform, email);
  const [first, second] = (await readMails(platform, database)).slice(-2).map(tokenOf) as [string, string];
  const both = await Promise.all([reset(platform, first), reset(platform, first)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404]);
  expect((await reset(platform, second)).status).toBe(404);
});

test("a password reset request gets the same response and enqueues one job, whether or not the email address has an account", async ({
  database,
}) => {
  const platform = await startIdentity(database, { settings: withMail() });
  const { email } = await signUpUser(platform);
  const before = (await readMails(platform, database)).length;
  const [known, unknown] = [await forgot(platform, email), await forgot(platform, makeAddress())];
  expect({ status: known.status, text: known.text }).toEqual({ status: unknown.status, text: unknown.text });
  const mails = (await readMails(platform, database)).slice(before);
  expect(mails.map(({ to }) => to)).toEqual([email, null]);
});

test("sends at most three reset links per hour and returns the same response to further requests", async ({
  database,
}) => {
  const platform = await startIdentity(database, { settings: withMail() });
  const { email } = await signUpUser(platform);
  for (let asked = 0; asked < 4; asked += 1) expect((await forgot(platform, email)).status).toBe(202);
  expect((await readMails(platform, database)).map(({ to }) => to)).toEqual([email, email, email, null]);
});

test("without email configured, a reset request gets the same response and enqueues no email", async ({ database }) => {
  const platform = await startIdentity(database);
  const { email } = await signUpUser(platform);
  expect(await forgot(platform, email)).toMatchObject({ status: 202, body: { status: "accepted" } });
  expect(await readMails(platform, database)).toEqual([]);
});

test("limits reset requests per IP address", async ({ database }) => {
  const platform = await startIdentity(database, {
    settings: { limits: { ...defaultPlatformSettings.limits, resetsPerHourPerAddress: 2 } },
  });
  const statuses: number[] = [];
  for (let tries = 0; tries < 3; tries += 1) statuses.push((await forgot(platform, makeAddress())).status);
  expect(statuses).toEqual([202, 202, 429]);
});

test("with email verification, the account doesn't exist until the link is followed", async ({ database }) => {
  const platform = await startIdentity(database, { settings: withMail({ verifyEmail: true }) });
  const email = makeAddress();
  const answer = await apply(platform, email, { name: "Ada", organizationName: "Engines" });
  expect(answer).toMatchObject({ status: 202, body: { status: "verification_sent" } });
  expect(Object.keys(answer.body)).toEqual(["status"]);
  expect((await signIn(platform, email)).status).toBe(401);
  const [mail] = await readMails(platform, database);
  expect(mail).toMatchObject({ to: email, template: "verify_email" });
  const verified = await verify(platform, tokenOf(mail));
  expect(verified.status).toBe(200);
  expect(Object.keys(verified.body)).toEqual(["token", "expiresAt"]);
  expect((await whoAmI(platform, verified.body.token)).body.user).toMatchObject({ name: "Ada", emailVerified: true });
  expect((await verify(platform, tokenOf(mail))).status).toBe(404);
  expect((await signIn(platform, email)).status).toBe(200);
});

test("a sign-up for a taken email address gets the same response as any other, and the account's owner is notified", async ({
  database,
}) => {
  const platform = await startIdentity(database, { settings: withMail({ verifyEmail: true }) });
  const { email } = await platform.addUser({ email: makeAddress() });
  const free = makeAddress();
  const [taken, fresh] = [await apply(platform, email), await apply(platform, free)];
  expect({ status: taken.status, text: taken.text }).toEqual({ status: fresh.status, text: fresh.text });
  const mails = await readMails(platform, database);
  expect(mails.map(({ to, template }) => [to, template])).toEqual([
    [email, "account_exists"],
    [free, "verify_email"],
  ]);
  expect(tokenOf(mails[0])).toBe("");
});

test("a verification link sets the password from its own sign-up, not from an earlier sign-up by another user", async ({
  database,
}) => {
  const platform = await startIdentity(database, { settings: withMail({ verifyEmail: true }) });
  const email = makeAddress();
  await apply(platform, email, { password: "chosen by a stranger" });
  await apply(platform, email);
  const [strangers, own] = (await readMails(platform, database)).map(tokenOf) as [string, string];
  expect((await verify(platform, own)).status).toBe(200);
  expect((await verify(platform, strangers)).status).toBe(404);
  expect((await signIn(platform, email, "chosen by a stranger")).status).toBe(401);
  expect((await signIn(platform, email)).status).toBe(200);
});

test("a verification link is valid for a day, and following it accepts the invitation", async ({ database }) => {
  const platform = await startIdentity(database, { settings: withMail({ verifyEmail: true, mode: "invite" }) });
  const inviter = await platform.addUser();
  const [late, timely] = [makeAddress(), makeAddress()];
  await apply(platform, late, { inviteToken: await invite(platform, inviter, late) });
  platform.advance(24 * HOUR + 1_000);
  expect((await verify(platform, tokenOf((await readMails(platform, database))[0]))).status).toBe(404);
  expect((await apply(platform, timely, { inviteToken: "nonsense" })).status).toBe(404);
  await apply(platform, timely, { inviteToken: await invite(platform, inviter, timely) });
  const answer = await verify(platform, tokenOf((await readMails(platform, database)).at(-1)));
  expect((await whoAmI(platform, answer.body.token)).body.activeOrganizationId).toBe(inviter.organizationId);
});

test("an account created before verification was required can verify through the link sent at login", async ({
  database,
}) => {
  const open = await startIdentity(database);
  const { email } = await signUpUser(open);
  const platform = await startIdentity(database, { settings: withMail({ verifyEmail: true }) });
  expect((await signIn(platform, email)).status).toBe(403);
  const [mail] = await readMails(platform, database);
  const answer = await verify(platform, tokenOf(mail));
  expect((await whoAmI(platform, answer.body.token)).body.user.emailVerified).toBe(true);
  expect((await signIn(platform, email)).status).toBe(200);
  // A link doesn't replace a password entry. Operations that require a recent password entry are still refused.
  expect((await platform.api("POST", "/api/auth/totp", { token: answer.body.token })).status).toBe(403);
});

test("the database stores only digests of link tokens", async ({ database }) => {
  const platform = await startIdentity(database, { settings: withMail({ verifyEmail: true }) });
  await apply(platform, makeAddress());
  const token = tokenOf((await readMails(platform, database)).at(-1));
  const rows = await database.connect("tollgate_worker").selectFrom("sign_ups").selectAll().execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(token);
});
