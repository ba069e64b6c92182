import { randomUUID } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { listAuditActions, listEvents } from "../organizations/records.fixture.ts";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database, { settings: { publicUrl: "https://gate.example" } });
  onCleanup(() => platform.close());
  return platform;
});

const WEEK_MS = 7 * 24 * 3_600_000;
const newEmail = () => `invited-${randomUUID()}@example.org`;

const invite = (platform: TestPlatform, who: TestUser, body: object) =>
  platform.api("POST", "/api/gw/teams/invite-member", {
    token: who.token,
    body: { teamId: who.teamId, role: "member", ...body },
  });
const decide = (platform: TestPlatform, who: TestUser, verb: "accept" | "decline", body: object) =>
  platform.api("POST", `/api/invitations/${verb}`, { token: who.token, body });
const tokenOf = (inviteUrl: string) =>
  /^https:\/\/gate\.example\/ui\/invitations#token=([\w-]{43})$/.exec(inviteUrl)?.[1];

test("inviting an existing user gets the same response as inviting an unknown email address", async ({ platform }) => {
  const ada = await platform.addUser();
  const known = await platform.addUser({ email: newEmail(), name: "Known Person" });
  const unknown = newEmail();
  const answers = [
    await invite(platform, ada, { email: known.email }),
    await invite(platform, ada, { email: unknown }),
  ];
  const [one, other] = answers.map(({ status, text, headers }, index) => ({
    status,
    text: text
      .replace(index === 0 ? known.email : unknown, "<email>")
      .replaceAll(/inv_\w{26}/g, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replaceAll(/token=[\w-]{43}/g, "<token>"),
    names: [...headers.keys()].toSorted(),
  }));
  expect(one).toEqual(other);
  expect(answers[0]?.status).toBe(202);
  expect(answers[0]?.body).toEqual({
    status: "invited",
    invitation: {
      id: expect.stringMatching(/^inv_/),
      email: known.email,
      role: "member",
      scope: "team",
      organizationId: ada.organizationId,
      organizationName: "Test organization",
      teamId: ada.teamId,
      teamName: "Default",
      invitedBy: { id: ada.userId, name: "Test User" },
      status: "pending",
      expiresAt: expect.stringMatching(/Z$/),
      createdAt: expect.stringMatching(/Z$/),
    },
    inviteUrl: expect.stringMatching(/^https:\/\/gate\.example\/ui\/invitations#token=[\w-]{43}$/),
  });
  expect((await listEvents(platform, ada.organizationId)).map(({ type }) => type)).toEqual([
    "invitation.created",
    "invitation.created",
  ]);
});

test("the link adds only the invited user to the organization and the team, and only once", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser({ email: newEmail() });
  const eve = await platform.addUser();
  const { body } = await invite(platform, ada, { email: bob.email, role: "admin" });
  const token = tokenOf(body.inviteUrl);
  expect((await decide(platform, eve, "accept", { token })).status).toBe(404);
  const accepted = await decide(platform, bob, "accept", { token });
  expect(accepted).toMatchObject({
    status: 200,
    body: {
      organization: { id: ada.organizationId, role: "member", memberCount: 2, active: false },
      team: { id: ada.teamId, role: "admin", memberCount: 2 },
    },
  });
  expect((await decide(platform, bob, "accept", { token })).status).toBe(404);
  expect(await listAuditActions(platform, ada.organizationId)).toEqual(["member.invited", "member.added"]);
  expect((await listEvents(platform, ada.organizationId)).at(-1)).toEqual({
    type: "member.added",
    data: { userId: bob.userId, teamId: ada.teamId, role: "admin" },
  });
});

test("an invitation that is accepted twice concurrently takes effect once", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser({ email: newEmail() });
  const { body } = await invite(platform, ada, { email: bob.email });
  const choices = [{ token: tokenOf(body.inviteUrl) }, { invitationId: body.invitation.id }];
  const answers = await Promise.all(choices.map((choice) => decide(platform, bob, "accept", choice)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
});

test("revoked, replaced, and declined invitations return 404", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser({ email: newEmail() });
  const first = (await invite(platform, ada, { email: bob.email })).body;
  const second = (await invite(platform, ada, { email: bob.email, role: "admin" })).body;
  expect((await decide(platform, bob, "accept", { token: tokenOf(first.inviteUrl) })).status).toBe(404);
  const open = await platform.api("GET", "/api/invitations", { token: bob.token });
  expect(open.body).toMatchObject({
    data: [{ id: second.invitation.id, role: "admin", organizationName: "Test organization", teamName: "Default" }],
    meta: { total: 1 },
  });
  expect(open.text).not.toContain("token");
  expect((await decide(platform, bob, "decline", { invitationId: second.invitation.id })).status).toBe(204);
  expect((await decide(platform, bob, "accept", { invitationId: second.invitation.id })).status).toBe(404);
  const third = (await invite(platform, ada, { email: bob.email })).body;
  const path = `/api/invitations/${third.invitation.id}`;
  // Revoking works regardless of the inviter's active organization.
  const other = await platform.api("POST", "/api/gw/organizations", { token: ada.token, body: { name: "Elsewhere" } });
  const { id: organizationId } = other.body.organization;
  await platform.api("PUT", "/api/auth/active-organization", { token: ada.token, body: { organizationId } });
  expect((await platform.api("DELETE", path, { token: ada.token })).status).toBe(204);
  expect((await platform.api("DELETE", path, { token: ada.token })).status).toBe(404);
  expect((await decide(platform, bob, "accept", { token: tokenOf(third.inviteUrl) })).status).toBe(404);
});

test("an invitation is shown as expired after seven days and can no longer be accepted", async ({ platform }) => {
  const ada = await platform.addUser();
  const email = newEmail();
  const { body } = await invite(platform, ada, { email });
  platform.advance(WEEK_MS);
  onTestFinished(() => platform.advance(-WEEK_MS));
  const bob = await platform.addUser({ email });
  expect((await platform.api("GET", "/api/invitations", { token: bob.token })).body.meta.total).toBe(0);
  for (const choice of [{ token: tokenOf(body.inviteUrl) }, { invitationId: body.invitation.id }]) {
    expect((await decide(platform, bob, "accept", choice)).status).toBe(404);
    expect((await decide(platform, bob, "decline", choice)).status).toBe(404);
  }
  const admin = await platform.addMember(ada.organizationId, "admin");
  const team = await platform.api("GET", `/api/gw/teams/${ada.teamId}`, { token: admin.token });
  expect(team.body.invitations).toMatchObject([{ id: body.invitation.id, status: "expired" }]);
});

test("an invitee who deletes an invitation declines it, and other users get 403 or 404", async ({ platform }) => {
  const ada = await platform.addUser();
  const member = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "member" });
  const bob = await platform.addUser({ email: newEmail() });
  const eve = await platform.addUser();
  const { body } = await invite(platform, ada, { email: bob.email });
  const remove = (who: TestUser) =>
    platform.api("DELETE", `/api/invitations/${body.invitation.id}`, { token: who.token });
  expect((await remove(eve)).status).toBe(404);
  expect((await decide(platform, eve, "accept", { invitationId: body.invitation.id })).status).toBe(404);
  expect((await decide(platform, eve, "decline", { invitationId: body.invitation.id })).status).toBe(404);
  expect((await remove(member)).status).toBe(403);
  expect((await remove(bob)).status).toBe(204);
  expect((await decide(platform, bob, "accept", { token: tokenOf(body.inviteUrl) })).status).toBe(404);
  expect(await listAuditActions(platform, ada.organizationId)).toEqual([
    "member.invited",
    "member.invitation_declined",
  ]);
});

test("removing a team member by invitation ID cancels the invitation, but only in the invitation's team", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const made = await platform.api("POST", "/api/gw/teams", { token: ada.token, body: { name: "Other" } });
  const { body } = await invite(platform, ada, { email: newEmail() });
  const remove = (teamId: string) =>
    platform.api("POST", "/api/gw/teams/remove-member", {
      token: ada.token,
      body: { teamId, memberId: body.invitation.id },
    });
  expect((await remove(made.body.team.id)).status).toBe(404);
  expect((await remove(ada.teamId)).body).toEqual({ removed: true, revokedKeys: 0 });
});

test("concurrent invitations to one email address leave one pending invitation", async ({ platform }) => {
  const ada = await platform.addUser();
  const email = newEmail();
  const answers = await Promise.all(
    ["member", "admin", "member"].map((role) => invite(platform, ada, { email, role })),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  const { body } = await platform.api("GET", `/api/gw/teams/${ada.teamId}`, { token: ada.token });
  expect(body.invitations).toHaveLength(1);
});

test("limits invitations per day and pending invitations, and a replaced invitation still counts toward the daily limit", async ({
  database,
}) => {
  const limits = {
    ...defaultPlatformSettings.limits,
    callsPerMinutePerUser: 10_000,
    invitationsPerDayPerOrganization: 4,
    pendingInvitationsPerOrganization: 3,
  };
  const platform = await startTestPlatform(database, { settings: { limits } });
  onTestFinished(() => platform.close());
  const ada = await platform.addUser();
  const emails = [newEmail(), newEmail(), newEmail()];
  const at = await Promise.all([...emails, newEmail(), newEmail()].map((email) => invite(platform, ada, { email })));
  expect(at.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 409, 409]);
  const open = at.find(({ status }) => status === 202)?.body.invitation.email;
  expect((await invite(platform, ada, { email: open })).status).toBe(202);
  const refused = await invite(platform, ada, { email: open });
  expect(refused).toMatchObject({ status: 409, body: { details: { reason: "LIMIT_REACHED" } } });
  expect(refused.body.error).toContain("4 invitations per day");
  platform.advance(24 * 3_600_000);
  const admin = await platform.addMember(ada.organizationId, "admin");
  expect((await invite(platform, { ...admin, teamId: ada.teamId }, { email: open })).status).toBe(202);
});

test("an account with an unverified email address sees no invitations and can accept one only by link", async ({
  platform,
  database,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser({ email: newEmail() });
  await querySql(
    database.connectionString,
    `set role tollgate_platform; select set_config('tollgate.door', 'on', false);
     update users set email_verified_at = null where id = ${bob.userId}`,
  );
  const { body } = await invite(platform, ada, { email: bob.email });
  expect((await platform.api("GET", "/api/invitations", { token: bob.token })).body.meta.total).toBe(0);
  expect(await decide(platform, bob, "accept", { invitationId: body.invitation.id })).toMatchObject({
    status: 403,
    body: { details: { reason: "EMAIL_UNVERIFIED" } },
  });
  expect((await decide(platform, bob, "accept", { token: tokenOf(body.inviteUrl) })).status).toBe(200);
});

test("an organization invitation grants its role in the organization, and inviting an existing member is rejected", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser({ email: newEmail() });
  const path = `/api/gw/organizations/${ada.organizationId}/invite-member`;
  const ask = () => platform.api("POST", path, { token: ada.token, body: { email: bob.email, role: "admin" } });
  const { body } = await ask();
  expect(body.invitation).toMatchObject({ scope: "organization", teamId: null, teamName: null, role: "admin" });
  expect((await decide(platform, bob, "accept", { invitationId: body.invitation.id })).body).toMatchObject({
    organization: { id: ada.organizationId, role: "admin" },
    team: null,
  });
  expect(await ask()).toMatchObject({ status: 409, body: { details: { reason: "ALREADY_MEMBER" } } });
});

test("organization admins see pending invitations, and a new invitation replaces the earlier one", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const admin = await platform.addMember(ada.organizationId, "admin");
  const member = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "admin" });
  const path = `/api/gw/organizations/${ada.organizationId}/invitations`;
  const list = (who: TestUser, query = "") => platform.api("GET", path + query, { token: who.token });
  const emails = [newEmail(), newEmail()];
  await invite(platform, ada, { email: emails[0] });
  await platform.api("POST", `/api/gw/organizations/${ada.organizationId}/invite-member`, {
    token: ada.token,
    body: { email: emails[1], role: "admin" },
  });
  const again = (await invite(platform, ada, { email: emails[0] })).body.invitation;
  const shown = await list(admin, "?sort=createdAt");
  expect(shown.body).toMatchObject({
    data: [
      { email: emails[1], scope: "organization", teamName: null, role: "admin", status: "pending" },
      { id: again.id, email: emails[0], scope: "team", teamName: "Default", status: "pending" },
    ],
    meta: { total: 2 },
  });
  expect(shown.text).not.toContain("token");
  expect((await list(ada, "?pageSize=1&page=2")).body.data).toHaveLength(1);
  expect((await list(member)).status).toBe(403);
  expect((await list(await platform.addUser())).status).toBe(404);
  await platform.api("DELETE", `/api/invitations/${again.id}`, { token: admin.token });
  expect((await list(ada)).body.data).toMatchObject([{ email: emails[1] }]);
});

test("with email, the link is only in an encrypted email job, and without email, a replayed request doesn't return the link again", async ({
  platform,
  database,
}) => {
  const mailing = await startTestPlatform(database, {
    settings: { mail: { url: new Secret("smtp://127.0.0.1:1"), from: "Gate <gate@example.org>" } },
  });
  onTestFinished(() => mailing.close());
  const ada = await mailing.addUser();
  const email = newEmail();
  const mailed = await invite(mailing, ada, { email });
  expect(mailed).toMatchObject({ status: 202, body: { inviteUrl: null } });
  const jobs = await querySql<{ payload: { sealed: string } }>(
    database.connectionString,
    `select payload from graphile_worker._private_jobs job
     join graphile_worker._private_tasks task on task.id = job.task_id where task.identifier = 'send_mail'`,
  );
  expect(jobs).toHaveLength(1);
  expect(JSON.stringify(jobs)).not.toContain(email);
  const mail = JSON.parse(mailing.services.secrets.open(jobs[0]?.payload.sealed ?? "", "mail"));
  expect(mail).toMatchObject({ to: email, template: "invitation", data: { teamName: "Default" } });
  expect(tokenOf(`https://gate.example${mail.data.link}`)).toBeDefined();
  const bob = await platform.addUser();
  const body = { teamId: bob.teamId, email: newEmail(), role: "member" };
  const options = { token: bob.token, body, headers: { "idempotency-key": "one" } };
  const first = await platform.api("POST", "/api/gw/teams/invite-member", options);
  const again = await platform.api("POST", "/api/gw/teams/invite-member", options);
  expect(first.body.inviteUrl).toContain("#token=");
  expect(again.body).toEqual({ ...first.body, inviteUrl: null });
});

test("rejects invalid email addresses, roles, and invitation references before any lookup", async ({ platform }) => {
  const ada = await platform.addUser();
  for (const body of [
    { email: "invalid" },
    { email: "a@b@c" },
    { email: newEmail(), role: "owner" },
    { role: "member" },
  ]) {
    expect((await invite(platform, ada, body)).status).toBe(400);
  }
  for (const body of [{}, { token: "x", invitationId: "y" }, { token: "" }]) {
    expect((await decide(platform, ada, "accept", body)).status).toBe(400);
  }
  expect((await decide(platform, ada, "accept", { token: "nonsense" })).status).toBe(404);
  expect((await decide(platform, ada, "decline", { invitationId: "nonsense" })).status).toBe(404);
});

test("without a configured public URL, a link uses the URL of the request", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const { body } = await invite(platform, await platform.addUser(), { email: newEmail() });
  expect(body.inviteUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/invitations#token=[\w-]{43}$/);
  expect(body.inviteUrl.startsWith(platform.url)).toBe(true);
});

test("an email address receives at most ten invitations per day, from all organizations together", async ({
  database,
}) => {
  const limits = { ...defaultPlatformSettings.limits, callsPerMinutePerUser: 10_000 };
  const platform = await startTestPlatform(database, { settings: { limits } });
  onTestFinished(() => platform.close());
  const senders = [await platform.addUser(), await platform.addUser(), await platform.addUser()];
  const known = (await platform.addUser({ email: newEmail() })).email;
  for (const email of [known, newEmail()]) {
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, index) => invite(platform, senders[index % 3] as TestUser, { email })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.details.reason}`))).toEqual(
      new Set(["409 LIMIT_REACHED"]),
    );
  }
  // A tag names the same mailbox.
  const tagged = await invite(platform, senders[0] as TestUser, { email: known.replace("@", "+tag@") });
  expect(tagged).toMatchObject({ status: 409, body: { details: { reason: "LIMIT_REACHED" } } });
  expect((await invite(platform, senders[0] as TestUser, { email: newEmail() })).status).toBe(202);
  platform.advance(24 * 3_600_000);
  const sender = await platform.addUser();
  expect((await invite(platform, sender, { email: known })).status).toBe(202);
});
