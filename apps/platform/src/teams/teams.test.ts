import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { addKey, listAuditActions, listLiveKeys } from "../organizations/records.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const make = (platform: TestPlatform, token: string, body: object) =>
  platform.api("POST", "/api/gw/teams", { token, body });

async function changeBalance(platform: TestPlatform, organizationId: string, amount: bigint): Promise<void> {
  await runAsAdministrator(platform.services.db, (transaction) =>
    postEntry(transaction, {
      kind: "adjustment",
      organizationId,
      amount,
      idempotencyKey: `adjust:${organizationId}:${amount}`,
      actor: "system",
    }),
  );
}

test("creating a team makes its creator an admin and returns all fields", async ({ platform }) => {
  const ada = await platform.addUser({ name: "Ada" });
  const made = await make(platform, ada.token, { name: "Research" });
  expect(made.status).toBe(201);
  const { id } = made.body.team;
  const shown = await platform.api("GET", `/api/gw/teams/${id}`, { token: ada.token });
  expect(shown.body).toEqual({
    team: {
      id,
      organizationId: ada.organizationId,
      name: "Research",
      status: "active",
      blockedReason: null,
      blockedAt: null,
      role: "admin",
      memberCount: 1,
      keyCount: 0,
      budget: null,
      rateLimit: { rpm: null, tpm: null, maxParallel: null },
      models: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    },
    members: [
      {
        memberId: ada.userId,
        userId: ada.userId,
        email: ada.email,
        name: "Ada",
        role: "admin",
        joinedAt: expect.stringMatching(/Z$/),
      },
    ],
    invitations: [],
  });
  expect(made.body.team).toEqual(shown.body.team);
  expect(await listAuditActions(platform, ada.organizationId)).toEqual(["team.created"]);
});

test("a team's budget, limits, and models can be set at creation, changed separately, and removed", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const made = await make(platform, ada.token, {
    name: "Limited",
    budget: { limit: 50_000_000_000, period: "monthly" },
    rateLimit: { rpm: 600 },
    models: ["fast", "fast", "smart"],
  });
  const nextMonth = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1)).toISOString();
  expect(made.body.team).toMatchObject({
    budget: {
      limit: 50_000_000_000,
      period: "monthly",
      spent: 0,
      held: 0,
      remaining: 50_000_000_000,
      resetsAt: nextMonth,
      usd: { limit: "50.000000000", spent: "0.000000000" },
    },
    rateLimit: { rpm: 600, tpm: null, maxParallel: null },
    models: ["fast", "smart"],
  });
  const path = `/api/gw/teams/${made.body.team.id}`;
  const change = (body: object) => platform.api("PUT", path, { token: ada.token, body });
  const changed = await change({ name: "Freer", rateLimit: { tpm: 0 }, budget: { limit: "9007199254740993" } });
  expect(changed.body.team).toMatchObject({
    name: "Freer",
    rateLimit: { rpm: 600, tpm: 0, maxParallel: null },
    budget: { period: "none", resetsAt: null, usd: { limit: "9007199.254740993" } },
    models: ["fast", "smart"],
  });
  expect(changed.text).toContain('"limit":9007199254740993');
  expect((await change({ budget: null, rateLimit: null, models: null })).body.team).toMatchObject({
    name: "Freer",
    rateLimit: { rpm: null, tpm: null, maxParallel: null },
    budget: null,
    models: null,
  });
  for (const body of [
    {},
    { name: "" },
    { models: [] },
    { budget: { limit: -1 } },
    { budget: { limit: 1.5 } },
    { budget: { limit: 5, period: "yearly" } },
    { rateLimit: { rpm: -1 } },
  ]) {
    expect({ body, status: (await change(body)).status }).toEqual({ body, status: 400 });
  }
});

test("the budget shows spending in the current window, including spending before the budget was set", async ({
  platform,
  database,
}) => {
  const ada = await platform.addUser();
  const budget = { limit: 1_000, period: "daily" };
  const path = `/api/gw/teams/${ada.teamId}`;
  await platform.api("PUT", path, { token: ada.token, body: { budget } });
  const start = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000).toISOString();
  const showBudget = async (token = ada.token) => (await platform.api("GET", path, { token })).body.team.budget;
  await querySql(
    database.connectionString,
    `insert into usage_rollups values
       ('${ada.organizationId}', '${start}', '${ada.teamId}', 'key_x', 'fast', '', 1, 0, 1, 0, 0, 1, 0, 300, 1)`,
  );
  expect(await showBudget()).toMatchObject({ spent: 300, held: 0, remaining: 700 });
  await querySql(
    database.connectionString,
    `insert into budget_windows (organization_id, scope, scope_id, starts_at, ends_at, amount, spent, leased)
     values ('${ada.organizationId}', 'team', '${ada.teamId}', '${start}', 'infinity', 1000, 700, 200)`,
  );
  expect(await showBudget()).toMatchObject({ spent: 700, held: 200, remaining: 100 });
  platform.advance(86_400_000);
  onTestFinished(() => platform.advance(-86_400_000));
  const tomorrow = await platform.addMember(ada.organizationId, "admin");
  expect(await showBudget(tomorrow.token)).toMatchObject({ spent: 0, held: 0, remaining: 1000 });
});

test("a team name is unique in its organization, ignoring case, until the team is deleted", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const taken = { status: 409, body: { code: "VALIDATION_ERROR", details: { reason: "NAME_TAKEN" } } };
  const { body } = await make(platform, ada.token, { name: "Research" });
  expect(await make(platform, ada.token, { name: "RESEARCH" })).toMatchObject(taken);
  expect((await make(platform, bob.token, { name: "Research" })).status).toBe(201);
  const rename = { token: ada.token, body: { name: "research" } };
  expect(await platform.api("PUT", `/api/gw/teams/${ada.teamId}`, rename)).toMatchObject(taken);
  expect((await platform.api("DELETE", `/api/gw/teams/${body.team.id}`, { token: ada.token })).status).toBe(204);
  expect((await make(platform, ada.token, { name: "Research" })).status).toBe(201);
});

test("the team limit per organization is enforced under concurrent requests", async ({ database }) => {
  const limits = { ...defaultPlatformSettings.limits, teamsPerOrganization: 4, callsPerMinutePerUser: 10_000 };
  const platform = await startTestPlatform(database, { settings: { limits } });
  onTestFinished(() => platform.close());
  const ada = await platform.addUser();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => make(platform, ada.token, { name: `Team ${index}` })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.details.reason).toBe("LIMIT_REACHED");
});

test("a team that is created while the balance is negative starts blocked, and adding credit unblocks it", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  await changeBalance(platform, ada.organizationId, -5n);
  const made = await make(platform, ada.token, { name: "Late" });
  expect(made).toMatchObject({
    status: 201,
    body: { team: { status: "blocked", blockedReason: "negative_balance", blockedAt: expect.stringMatching(/Z$/) } },
  });
  const blocked = await platform.api("GET", "/api/gw/teams?status=blocked", { token: ada.token });
  expect(blocked.body.meta.total).toBe(2);
  await changeBalance(platform, ada.organizationId, 5n);
  expect((await platform.api("GET", "/api/gw/teams?status=active", { token: ada.token })).body.meta.total).toBe(2);
});

test("concurrent debts and team creations leave no team active while the balance is negative", async ({ platform }) => {
  const ada = await platform.addUser();
  await Promise.all([
    ...Array.from({ length: 6 }, (_, index) => make(platform, ada.token, { name: `Racing ${index}` })),
    changeBalance(platform, ada.organizationId, -1n),
  ]);
  const { body } = await platform.api("GET", "/api/gw/teams?status=active", { token: ada.token });
  expect(body.meta.total).toBe(0);
});

test("admins see all teams, members see their own teams, and both can search, sort, and page the list", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const { body } = await make(platform, ada.token, { name: "50% Research" });
  const member = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "member" });
  const admin = await platform.addMember(ada.organizationId, "admin");
  const list = (token: string, query = "") => platform.api("GET", `/api/gw/teams${query}`, { token });
  expect((await list(admin.token, "?sort=name")).body.data).toMatchObject([
    { name: "50% Research", role: null, memberCount: 1 },
    { name: "Default", role: null, memberCount: 2 },
  ]);
  expect((await list(member.token)).body).toMatchObject({
    data: [{ id: ada.teamId, role: "member" }],
    meta: { total: 1 },
  });
  expect((await list(ada.token, "?search=%25")).body.data).toMatchObject([{ id: body.team.id }]);
  expect((await list(ada.token, "?pageSize=1&page=2&sort=name")).body).toMatchObject({
    data: [{ name: "Default" }],
    meta: { total: 2, totalPages: 2 },
  });
  expect((await list(ada.token, "?status=gone")).status).toBe(400);
});

test("team actions follow the role table", async ({ platform }) => {
  const ada = await platform.addUser();
  const { body } = await make(platform, ada.token, { name: "Subject" });
  const path = `/api/gw/teams/${body.team.id}`;
  const people = {
    outsider: await platform.addMember(ada.organizationId, "member"),
    member: await platform.addMember(ada.organizationId, "member", { [body.team.id]: "member" }),
    teamAdmin: await platform.addMember(ada.organizationId, "member", { [body.team.id]: "admin" }),
    admin: await platform.addMember(ada.organizationId, "admin"),
    stranger: await platform.addUser(),
  };
  const expected = {
    outsider: { get: 403, put: 403, create: 403, delete: 403 },
    member: { get: 200, put: 403, create: 403, delete: 403 },
    teamAdmin: { get: 200, put: 200, create: 403, delete: 403 },
    stranger: { get: 404, put: 404, create: 201, delete: 404 },
    admin: { get: 200, put: 200, create: 201, delete: 204 },
  };
  for (const [who, statuses] of Object.entries(expected)) {
    const { token } = people[who as keyof typeof people];
    const found = {
      get: (await platform.api("GET", path, { token })).status,
      put: (await platform.api("PUT", path, { token, body: { models: null } })).status,
      create: (await make(platform, token, { name: `Made by ${who}` })).status,
      delete: (await platform.api("DELETE", path, { token })).status,
    };
    expect({ who, ...found }).toEqual({ who, ...statuses });
  }
});

test("deleting a team revokes its keys and invitations, then returns 404", async ({ platform }) => {
  const ada = await platform.addUser();
  const { body } = await make(platform, ada.token, { name: "Short-lived" });
  const teamId = body.team.id;
  const doomed = await addKey(platform, { ...ada, teamId });
  const other = await addKey(platform, ada);
  const invited = await platform.api("POST", "/api/gw/teams/invite-member", {
    token: ada.token,
    body: { teamId, email: "late@example.org", role: "member" },
  });
  const path = `/api/gw/teams/${teamId}`;
  expect((await platform.api("GET", path, { token: ada.token })).body.team.keyCount).toBe(1);
  expect((await platform.api("DELETE", path, { token: ada.token })).status).toBe(204);
  expect(await listLiveKeys(platform, ada.organizationId)).toEqual([other]);
  for (const method of ["GET", "DELETE"])
    expect((await platform.api(method, path, { token: ada.token })).status).toBe(404);
  const late = await platform.addUser({ email: "late@example.org" });
  const accept = { token: late.token, body: { invitationId: invited.body.invitation.id } };
  expect((await platform.api("POST", "/api/invitations/accept", accept)).status).toBe(404);
  expect(doomed).not.toBe(other);
});

test("another user's team returns 404, but a team in any of the caller's organizations is found", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const paths = { GET: undefined, PUT: { name: "Mine" }, DELETE: undefined };
  for (const [method, body] of Object.entries(paths)) {
    const answer = await platform.api(method, `/api/gw/teams/${bob.teamId}`, { token: ada.token, body });
    expect(answer).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  }
  for (const verb of ["invite", "remove", "update"]) {
    const body = { teamId: bob.teamId, memberId: bob.userId, role: "member", email: "eve@example.org" };
    const answer = await platform.api("POST", `/api/gw/teams/${verb}-member`, { token: ada.token, body });
    expect(answer.status).toBe(404);
  }
  const second = await platform.api("POST", "/api/gw/organizations", { token: ada.token, body: { name: "Second" } });
  const headers = { "x-gw-organization": second.body.organization.id };
  const inSecond = await platform.api("POST", "/api/gw/teams", { token: ada.token, headers, body: { name: "There" } });
  expect(inSecond.body.team.organizationId).toBe(second.body.organization.id);
  const shown = await platform.api("GET", `/api/gw/teams/${inSecond.body.team.id}`, { token: ada.token });
  expect(shown.status).toBe(200);
  const foreign = { "x-gw-organization": bob.organizationId };
  expect((await platform.api("GET", "/api/gw/teams", { token: ada.token, headers: foreign })).status).toBe(404);
});
