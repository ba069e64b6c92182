import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { cloneDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import {
  invite,
  makeAddress,
  PASSWORD,
  readAudit,
  signIn,
  signUpUser,
  startIdentity,
  whoAmI,
  withMail,
} from "./identity.fixture.ts";

const signUpWith = (change: Partial<typeof defaultPlatformSettings.signUp>) => ({
  settings: { signUp: { ...defaultPlatformSettings.signUp, ...change } },
});

test("a sign-up creates an account, an organization with an empty quota, and a default team, and signs the user in", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const email = makeAddress();
  const answer = await platform.api("POST", "/api/auth/sign-up", {
    body: { email: ` ${email.toUpperCase()} `, password: PASSWORD, name: "Ada" },
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    user: { id: expect.any(Number), email, name: "Ada", role: "user" },
    organization: { id: expect.stringMatching(/^org_/), name: "Ada's organization", personal: true },
    team: { id: expect.stringMatching(/^team_/), name: "Default", status: "active" },
    expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
  });
  const { user, organization, team, token } = answer.body;
  expect((await whoAmI(platform, token)).body).toMatchObject({
    user: { id: user.id, email, name: "Ada", role: "user" },
    activeOrganizationId: organization.id,
    session: { id: expect.stringMatching(/^ses_/) },
  });
  const worker = database.connect("tollgate_worker");
  const { balance } = await worker
    .selectFrom("organization_quota")
    .select("balance")
    .where("organization_id", "=", organization.id)
    .executeTakeFirstOrThrow();
  expect(balance).toBe(0n);
  const [member] = await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .selectFrom("organization_members as m")
      .innerJoin("team_members as t", "t.user_id", "m.user_id")
      .select(["m.role", "t.role as teamRole", "t.team_id as teamId"])
      .where("m.user_id", "=", user.id)
      .execute(),
  );
  expect(member).toEqual({ role: "owner", teamRole: "admin", teamId: team.id });
  expect(await readAudit(database, email)).toMatchObject([
    { action: "user.signed_up", actor: { type: "user", id: user.id }, target: { type: "user", id: String(user.id) } },
  ]);
});

test("the name defaults to the local part of the email address, and creating the default team can be disabled", async ({
  database,
}) => {
  const platform = await startIdentity(database, signUpWith({ defaultTeam: false }));
  const { email, user, organization, team } = await signUpUser(platform, { organizationName: "Engines" });
  expect(user.name).toBe(email.split("@")[0]);
  expect(organization.name).toBe("Engines");
  expect(team).toBeNull();
});

test("posts welcome credit to the ledger once", async ({ database }) => {
  const platform = await startIdentity(database, signUpWith({ grantNanoUsd: 5_000_000_000n }));
  const { organization } = await signUpUser(platform);
  const worker = database.connect("tollgate_worker");
  const entries = await worker
    .selectFrom("ledger_transactions")
    .select(["kind", "idempotency_key", "balance_after"])
    .where("organization_id", "=", organization.id)
    .execute();
  expect(entries).toEqual([
    { kind: "grant", idempotency_key: `grant:welcome:${organization.id}`, balance_after: 5_000_000_000n },
  ]);
});

test("rejects an email address that already has an account, regardless of case, and creates nothing", async ({
  database,
}) => {
  const platform = await startIdentity(database);
  const { email } = await signUpUser(platform);
  const worker = database.connect("tollgate_worker");
  const count = () => worker.selectFrom("organizations").select("id").execute();
  const before = (await count()).length;
  const again = await platform.api("POST", "/api/auth/sign-up", {
    body: { email: email.toUpperCase(), password: PASSWORD },
  });
  expect(again).toMatchObject({ status: 409, body: { code: "VALIDATION_ERROR", details: { reason: "EMAIL_TAKEN" } } });
  expect(await count()).toHaveLength(before);
});

test("exactly one of several concurrent sign-ups for one email address succeeds", async ({ database }) => {
  const platform = await startIdentity(database);
  const body = { email: makeAddress(), password: PASSWORD };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => platform.api("POST", "/api/auth/sign-up", { body })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
});

test.for([
  [{ password: "short" }, "WEAK_PASSWORD"],
  [{ password: "Password2026!" }, "WEAK_PASSWORD"],
  [{ password: "x".repeat(129) }, "WEAK_PASSWORD"],
  [{ password: "Ada Lovelace!", name: "ada lovelace!" }, "WEAK_PASSWORD"],
  [{ password: undefined }, "INVALID_FIELD"],
  [{ email: "invalid" }, "INVALID_FIELD"],
  [{ email: "a@b@c" }, "INVALID_FIELD"],
  [{ email: `${"a".repeat(250)}@example.org` }, "INVALID_FIELD"],
  [{ name: "" }, "INVALID_FIELD"],
  [{ name: "x".repeat(101) }, "INVALID_FIELD"],
  [{ name: "a\u0000b" }, "INVALID_FIELD"],
  [{ name: "a\u0085b" }, "INVALID_FIELD"],
] as const)("rejects %j with %s and does not echo the password", async ([change, reason], { database }) => {
  const platform = await startIdentity(database);
  const body = { email: makeAddress(), password: PASSWORD, ...change };
  const answer = await platform.api("POST", "/api/auth/sign-up", { body });
  expect(answer).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR", details: { reason } } });
  expect(answer.text).not.toContain(body.password ?? PASSWORD);
});

test("ignores a role in the sign-up body", async ({ database }) => {
  const platform = await startIdentity(database);
  const { user, token } = await signUpUser(platform, { role: "admin", status: "active", id: 1 });
  expect(user.role).toBe("user");
  expect((await whoAmI(platform, token)).body.user.role).toBe("user");
});

test("returns 403 if sign-ups are closed or require an invitation", async ({ database }) => {
  for (const mode of ["closed", "invite"] as const) {
    const platform = await startIdentity(database, signUpWith({ mode }));
    const answer = await platform.api("POST", "/api/auth/sign-up", {
      body: { email: makeAddress(), password: PASSWORD },
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN", details: { reason: "SIGN_UP_CLOSED" } } });
  }
});

test("a sign-up accepts its invitation once and only for the invited email address", async ({ database }) => {
  const platform = await startIdentity(database, signUpWith({ mode: "invite" }));
  const inviter = await platform.addUser();
  const invited = makeAddress();
  const token = await invite(platform, inviter, invited);
  const apply = (email: string) =>
    platform.api("POST", "/api/auth/sign-up", { body: { email, password: PASSWORD, inviteToken: token } });
  expect((await apply(makeAddress())).status).toBe(404);
  const answer = await apply(invited);
  expect(answer).toMatchObject({ status: 201, body: { activeOrganizationId: inviter.organizationId } });
  const me = await whoAmI(platform, answer.body.token);
  expect(me.body.activeOrganizationId).toBe(inviter.organizationId);
  expect(answer.body.organization.id).not.toBe(inviter.organizationId);
  const worker = database.connect("tollgate_worker");
  const roles = await worker
    .selectFrom("organization_members")
    .select(["organization_id", "role"])
    .where("user_id", "=", answer.body.user.id)
    .orderBy("role")
    .execute();
  expect(roles).toEqual([
    { organization_id: inviter.organizationId, role: "member" },
    { organization_id: answer.body.organization.id, role: "owner" },
  ]);
  // The refused attempt's account was rolled back.
  expect((await apply(makeAddress())).status).toBe(404);
});

test("rejects an expired invitation", async ({ database }) => {
  const platform = await startIdentity(database);
  const inviter = await platform.addUser();
  const email = makeAddress();
  const inviteToken = await invite(platform, inviter, email);
  platform.advance(8 * 24 * 3_600_000);
  const answer = await platform.api("POST", "/api/auth/sign-up", { body: { email, password: PASSWORD, inviteToken } });
  expect(answer.status).toBe(404);
  expect((await signIn(platform, email)).status).toBe(401);
});

test("an emailed invitation verifies the email address, but a copied link does not", async ({ database }) => {
  for (const [settings, emailVerified] of [
    [withMail(), true],
    [{}, false],
  ] as const) {
    const platform = await startIdentity(database, { settings });
    const email = makeAddress();
    const inviteToken = await invite(platform, await platform.addUser(), email);
    const { body } = await platform.api("POST", "/api/auth/sign-up", {
      body: { email, password: PASSWORD, inviteToken },
    });
    expect((await whoAmI(platform, body.token)).body.user.emailVerified).toBe(emailVerified);
  }
});

test("the bootstrap secret makes only the first account an administrator", async () => {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  const bootstrapSecret = "a bootstrap secret of decent length, once";
  const platform = await startIdentity(
    database,
    signUpWith({ bootstrapSecret: new Secret(bootstrapSecret), mode: "closed" }),
  );
  const apply = (secret: string) =>
    platform.api("POST", "/api/auth/sign-up", {
      body: { email: makeAddress(), password: PASSWORD, bootstrapSecret: secret },
    });
  expect((await apply("wrong")).status).toBe(400);
  const answers = await Promise.all([apply(bootstrapSecret), apply(bootstrapSecret), apply(bootstrapSecret)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
  const first = answers.find(({ status }) => status === 201);
  expect(first?.body.user.role).toBe("admin");
  expect((await apply(bootstrapSecret)).status).toBe(400);
});

test("limits sign-ups per hour for each IP address", async ({ database }) => {
  const platform = await startIdentity(database, {
    settings: { limits: { ...defaultPlatformSettings.limits, signUpsPerHourPerAddress: 2 } },
  });
  const statuses: number[] = [];
  for (let tries = 0; tries < 3; tries += 1) {
    const body = { email: makeAddress(), password: PASSWORD };
    const answer = await platform.api("POST", "/api/auth/sign-up", { body });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([201, 201, 429]);
});
