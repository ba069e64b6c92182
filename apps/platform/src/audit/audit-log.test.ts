import { test as base } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const path = "/api/gw/audit-log";
const readLog = (platform: TestPlatform, user: TestUser, query = "") =>
  platform.api("GET", path + query, { token: user.token });
const actionsOf = async (platform: TestPlatform, user: TestUser, query: string) =>
  (await readLog(platform, user, query)).body.data.map((row: { action: string }) => row.action);

async function leaveTraces(platform: TestPlatform, user: TestUser): Promise<string> {
  const headers = { "user-agent": "Tester/1", "x-request-id": "req-1" };
  const post = (to: string, body: object) => platform.api("POST", to, { token: user.token, headers, body });
  const made = await post("/api/gw/api-keys", { name: "ci", team_id: user.teamId });
  const { id } = made.body.apiKey;
  await post("/api/api-keys/update", { token: id, name: "prod" });
  await post("/api/api-keys/remove", { apiKey: id });
  return id;
}

test("organization administrators see the audit log, whose entries form a hash chain", async ({ platform }) => {
  const ada = await platform.addUser();
  const keyId = await leaveTraces(platform, ada);
  const { status, body } = await readLog(platform, ada);
  expect(status).toBe(200);
  expect(body.meta).toMatchObject({ total: 3, totalPages: 1 });
  const { body: teams } = await platform.api("GET", "/api/gw/teams", { token: ada.token });
  expect(body.data[2].summary).toBe(`${ada.email} created API key prod in team ${teams.data[0].name}`);
  expect(body.data[1]).toEqual({
    id: expect.stringMatching(/^aud_/),
    at: expect.stringMatching(/Z$/),
    summary: `${ada.email} changed API key prod: name`,
    actor: { type: "user", id: ada.userId, email: ada.email, name: null },
    action: "key.updated",
    target: { type: "key", id: keyId, email: null, name: "prod" },
    organizationId: ada.organizationId,
    organizationName: expect.any(String),
    ip: "127.0.0.1",
    userAgent: "Tester/1",
    requestId: "req-1",
    before: { name: "ci" },
    after: { name: "prod" },
    prevHash: body.data[2].hash,
    hash: body.data[0].prevHash,
  });
  expect(body.data[2].prevHash).toBeNull();
});

test("the audit log can be sorted, paged, and filtered by actor, action, target, and time", async ({ platform }) => {
  const ada = await platform.addUser();
  const bob = await platform.addMember(ada.organizationId, "admin");
  const keyId = await leaveTraces(platform, ada);
  await leaveTraces(platform, { ...bob, teamId: ada.teamId });
  expect(await actionsOf(platform, ada, `?actor=${bob.userId}&sort=at`)).toEqual([
    "key.created",
    "key.updated",
    "key.revoked",
  ]);
  expect(await actionsOf(platform, ada, "?actor=system")).toEqual(["member.added"]);
  expect(await actionsOf(platform, ada, `?target=${keyId}&action=key.created,key.revoked`)).toEqual([
    "key.revoked",
    "key.created",
  ]);
  expect(await actionsOf(platform, ada, "?target=key&pageSize=4&page=2")).toHaveLength(2);
  const today = new Date().toISOString().slice(0, 10);
  expect(await actionsOf(platform, ada, `?startDate=${today}&endDate=${today}`)).toHaveLength(7);
  expect(await actionsOf(platform, ada, "?endDate=2020-01-01")).toEqual([]);
  for (const query of ["?startDate=soon", "?startDate=2026-02-30", "?startDate=2026-02-02&endDate=2026-02-01"]) {
    expect(await readLog(platform, ada, query)).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
  }
});

test("the audit log is searched by name, email address, action, or ID, and exported as CSV", async ({ platform }) => {
  const ada = await platform.addUser();
  const keyId = await leaveTraces(platform, ada);
  const all = ["key.revoked", "key.updated", "key.created"];
  for (const search of ["pro", ada.email.slice(0, 12), "KEY.", keyId]) {
    expect(await actionsOf(platform, ada, `?search=${encodeURIComponent(search)}`)).toEqual(all);
  }
  expect(await actionsOf(platform, ada, "?search=revoked")).toEqual(["key.revoked"]);
  expect(await actionsOf(platform, ada, "?search=100%25")).toEqual([]);
  const { status, text } = await readLog(platform, ada, "?format=csv&pageSize=1");
  expect(status).toBe(200);
  const [head, ...lines] = text.trimEnd().split("\r\n");
  expect(head).toMatch(/^id,at,summary,action,/);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain(`,${ada.email} changed API key prod: name,key.updated,user,${ada.userId},`);
});

test("members can't read the audit log, and no user can read another organization's log", async ({ platform }) => {
  const ada = await platform.addUser();
  const eve = await platform.addUser();
  const member = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "admin" });
  await leaveTraces(platform, ada);
  expect(await readLog(platform, member)).toMatchObject({
    status: 403,
    body: { details: { reason: "ROLE_REQUIRED" } },
  });
  expect((await readLog(platform, eve)).body.data).toEqual([]);
  const asked = { token: eve.token, headers: { "x-gw-organization": ada.organizationId } };
  expect((await platform.api("GET", path, asked)).status).toBe(404);
});

test("platform administrators see every audit chain and can filter by organization", async ({ platform }) => {
  const admin = await platform.addUser({ role: "admin" });
  const [ada, bob] = [await platform.addUser(), await platform.addUser()];
  await leaveTraces(platform, ada);
  await leaveTraces(platform, bob);
  await platform.api("PATCH", `/api/admin/users/${bob.userId}`, { token: admin.token, body: { name: "Bob" } });
  const chains = async (query: string) => {
    const { body } = await platform.api("GET", `/api/admin/audit-log?pageSize=100${query}`, { token: admin.token });
    return new Set(body.data.map((row: { organizationId: string | null }) => row.organizationId));
  };
  const all = await chains("");
  for (const chain of [ada.organizationId, bob.organizationId, null]) expect(all).toContain(chain);
  expect(await chains(`&organizationId=${ada.organizationId}`)).toEqual(new Set([ada.organizationId]));
  expect(await chains("&organizationId=none")).toEqual(new Set([null]));
});
