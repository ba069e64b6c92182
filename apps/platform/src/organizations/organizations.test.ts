import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startTestPlatform } from "../platform.fixture.ts";
import { listAuditActions } from "./records.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

test("lists only the caller's organizations, with role, counts, and settings", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  await platform.addMember(ada.organizationId, "member");
  const answer = await platform.api("GET", "/api/gw/organizations/list", { token: ada.token });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    data: [
      {
        id: ada.organizationId,
        name: "Test organization",
        role: "owner",
        ownerId: ada.userId,
        billingEmail: null,
        personal: true,
        active: true,
        teamCount: 1,
        memberCount: 2,
        settings: { lowBalanceThreshold: null, logPrompts: false, logRetentionDays: 90, timezone: "UTC", usd: {} },
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    ],
    meta: { page: 1, pageSize: 20, total: 1, totalPages: 1 },
  });
  expect(answer.text).not.toContain(bob.organizationId);
});

test("creates organizations, searches them by part of their name, and pages through them", async ({ platform }) => {
  const ada = await platform.addUser();
  const make = (name: string) => platform.api("POST", "/api/gw/organizations", { token: ada.token, body: { name } });
  expect((await make("100% Robots")).body.organization).toMatchObject({
    role: "owner",
    personal: false,
    active: false,
  });
  await make("Second");
  const list = (query: string) => platform.api("GET", `/api/gw/organizations/list?${query}`, { token: ada.token });
  expect((await list("search=0%25%20r")).body.data).toMatchObject([{ name: "100% Robots" }]);
  expect((await list("search=%25")).body.meta.total).toBe(1);
  const second = await list("pageSize=2&page=2&sort=name");
  expect(second.body).toMatchObject({ data: [{ name: "Test organization" }], meta: { total: 3, totalPages: 2 } });
  expect((await list("page=9")).body.data).toEqual([]);
  for (const bad of ["page=0", "pageSize=101", "pageSize=1.5", "sort=color"])
    expect((await list(bad)).status).toBe(400);
});

test("rejects a name that the owner already uses, ignoring case, but allows it for another owner", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const make = (token: string, name: string) =>
    platform.api("POST", "/api/gw/organizations", { token, body: { name } });
  expect((await make(ada.token, "Robots")).status).toBe(201);
  expect(await make(ada.token, "rOBOTS")).toMatchObject({ status: 409, body: { details: { reason: "NAME_TAKEN" } } });
  expect((await make(bob.token, "Robots")).status).toBe(201);
  for (const name of ["", "x".repeat(101), "tab\there", 7]) {
    const refused = await platform.api("POST", "/api/gw/organizations", { token: ada.token, body: { name } });
    expect(refused.status).toBe(400);
  }
});

test("enforces the organization limit per owner under concurrent requests", async ({ database }) => {
  const limits = { ...defaultPlatformSettings.limits, organizationsPerOwner: 4, callsPerMinutePerUser: 10_000 };
  const platform = await startTestPlatform(database, { settings: { limits } });
  onTestFinished(() => platform.close());
  const ada = await platform.addUser();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      platform.api("POST", "/api/gw/organizations", { token: ada.token, body: { name: `Company ${index}` } }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ code: "VALIDATION_ERROR", details: { reason: "LIMIT_REACHED" } });
});

test("an update changes only the given fields, and null resets a setting to its default", async ({ platform }) => {
  const ada = await platform.addUser();
  const change = (body: object) => platform.api("PUT", "/api/gw/organizations", { token: ada.token, body });
  const first = await change({
    name: "Robots",
    billingEmail: " Bills@Example.org ",
    settings: { lowBalanceThreshold: "9007199254740993", logPrompts: true, logRetentionDays: 7 },
  });
  expect(first.status).toBe(200);
  expect(first.text).toContain('"lowBalanceThreshold":9007199254740993');
  expect(first.body.organization).toMatchObject({
    name: "Robots",
    billingEmail: "bills@example.org",
    settings: { logPrompts: true, logRetentionDays: 7, usd: { lowBalanceThreshold: "9007199.254740993" } },
  });
  const second = await change({ settings: { logPrompts: null, logRetentionDays: null, lowBalanceThreshold: null } });
  expect(second.body.organization).toMatchObject({
    name: "Robots",
    settings: { lowBalanceThreshold: null, logPrompts: false, logRetentionDays: 90 },
  });
  expect(await listAuditActions(platform, ada.organizationId)).toEqual(["org.updated", "org.updated"]);
});

test("an update applies only to the organization with the given ID", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const change = (token: string, body: object) => platform.api("PUT", "/api/gw/organizations", { token, body });
  const created = await platform.api("POST", "/api/gw/organizations", { token: ada.token, body: { name: "Second" } });
  const second = created.body.organization.id as string;
  const renamed = await change(ada.token, { id: second, name: "Renamed" });
  expect(renamed).toMatchObject({ status: 200, body: { organization: { id: second, name: "Renamed" } } });
  const refused = { status: 404, body: { details: { reason: "UNKNOWN_OBJECT" } } };
  expect(await change(bob.token, { id: ada.organizationId, name: "Mine" })).toMatchObject(refused);
  expect(await change(bob.token, { id: "org_00000000000000000000000000", name: "Mine" })).toMatchObject(refused);
  const both = { id: second, organizationId: ada.organizationId, name: "Which" };
  expect((await change(ada.token, both)).status).toBe(400);
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .insertInto("organization_members")
      .values({ organization_id: second, user_id: bob.userId, role: "member" })
      .execute(),
  );
  expect(await change(bob.token, { id: second, name: "Mine" })).toMatchObject(refused);
  const names = async (token: string) => {
    const { body } = await platform.api("GET", "/api/gw/organizations/list?sort=name", { token });
    return body.data.map(({ name }: { name: string }) => name);
  };
  expect(await names(ada.token)).toEqual(["Renamed", "Test organization"]);
  expect(await names(bob.token)).toEqual(["Renamed", "Test organization"]);
});

test("an update requires at least one field, valid values, the right role, and membership", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const member = await platform.addMember(ada.organizationId, "member");
  const admin = await platform.addMember(ada.organizationId, "admin");
  const change = (token: string, body: object) => platform.api("PUT", "/api/gw/organizations", { token, body });
  for (const body of [
    {},
    { settings: {} },
    { settings: { logRetentionDays: 0 } },
    { settings: { lowBalanceThreshold: -1 } },
    { settings: { lowBalanceThreshold: 1.5 } },
    { billingEmail: "invalid" },
    { name: "" },
  ]) {
    expect((await change(ada.token, body)).status).toBe(400);
  }
  expect(await change(member.token, { name: "Mine" })).toMatchObject({
    status: 403,
    body: { code: "FORBIDDEN", details: { reason: "ROLE_REQUIRED" } },
  });
  expect((await change(admin.token, { name: "Ours" })).status).toBe(200);
  expect((await change(bob.token, { organizationId: ada.organizationId, name: "Mine" })).status).toBe(404);
  // Clients can't set the owner or the role.
  await change(admin.token, { name: "Ours", ownerId: admin.userId, role: "owner" });
  const { body } = await platform.api("GET", "/api/gw/organizations/list", { token: admin.token });
  expect(body.data).toMatchObject([{ name: "Ours", ownerId: ada.userId, role: "admin" }]);
});

test("every organization, team, and invitation operation returns 401 without a token", async ({ platform }) => {
  const id = "org_00000000000000000000000000";
  const calls = [
    ["GET", "/api/gw/organizations/list"],
    ["POST", "/api/gw/organizations"],
    ["PUT", "/api/gw/organizations"],
    ["GET", `/api/gw/organizations/${id}/members`],
    ["POST", `/api/gw/organizations/${id}/invite-member`],
    ["POST", `/api/gw/organizations/${id}/remove-member`],
    ["POST", `/api/gw/organizations/${id}/update-member`],
    ["GET", `/api/gw/organizations/${id}/export`],
    ["POST", `/api/gw/organizations/${id}/close`],
    ["GET", "/api/gw/teams"],
    ["POST", "/api/gw/teams"],
    ["GET", "/api/gw/teams/team_x"],
    ["PUT", "/api/gw/teams/team_x"],
    ["DELETE", "/api/gw/teams/team_x"],
    ["POST", "/api/gw/teams/invite-member"],
    ["POST", "/api/gw/teams/remove-member"],
    ["POST", "/api/gw/teams/update-member"],
    ["GET", "/api/invitations"],
    ["POST", "/api/invitations/accept"],
    ["POST", "/api/invitations/decline"],
    ["DELETE", "/api/invitations/inv_x"],
  ] as const;
  for (const [method, path] of calls) {
    const answer = await platform.api(method, path, method === "POST" || method === "PUT" ? { body: {} } : {});
    expect({ path, status: answer.status, code: answer.body.code }).toEqual({
      path,
      status: 401,
      code: "UNAUTHORIZED",
    });
  }
});
