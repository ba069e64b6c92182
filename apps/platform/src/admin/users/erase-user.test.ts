import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import type { TestUser } from "../../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database, {
    settings: {
      trustedProxies: ["127.0.0.1"],
      publicUrl: "https://console.example.org",
      mail: { ...defaultPlatformSettings.mail, url: new Secret("smtp://mail.example.org") },
    },
  });
  onCleanup(() => platform.close());
  return platform;
});

const person = {
  email: "quixotic.ada+x@example.org",
  name: "Ada Quixotic",
  password: "violets in the rain",
  headers: { "user-agent": "EraseMe/1.0", "x-forwarded-for": "198.51.100.77" },
};
const traces = [person.email, person.name, person.headers["user-agent"], person.headers["x-forwarded-for"]];

test("erasing a user removes personal data from every table and keeps the ledger and the audit chain valid", async ({
  platform,
  database,
}) => {
  const admin = await platform.addUser({ role: "admin" });
  const host = await platform.addUser();
  const ada = await liveALife(platform, host, admin);
  const before = await findTraces(database);
  // Check that the search works: each of these tables contains the user's data now.
  for (const table of [
    "users",
    "sessions",
    "audit_personal",
    "invitations",
    "organizations",
    "idempotency_keys",
    "pairings",
    "user_preferences",
  ]) {
    expect(before).toContain(`public.${table}`);
  }

  expect(await erase(platform, admin, ada.userId)).toMatchObject({ status: 200, body: { deleted: true } });

  expect(await findTraces(database)).toEqual([]);
  const report = await findBrokenInvariants(database.connect("tollgate_worker"), { isAtRest: true });
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(report.checks.find(({ id }) => id === "I8")?.checked).toBeGreaterThan(8n);

  expect(await platform.api("GET", "/api/auth/me", { token: ada.token })).toMatchObject({ status: 401 });
  const { body } = await platform.api("GET", `/api/admin/users/${ada.userId}`, { token: admin.token });
  expect(body.user).toMatchObject({
    email: `deleted-${ada.userId}`,
    name: `deleted-${ada.userId}`,
    status: "deleted",
    lastLoginAt: null,
  });
  const log = await platform.api("GET", `/api/admin/audit-log?actor=${ada.userId}`, { token: admin.token });
  expect(log.body.meta.total).toBeGreaterThan(3);
  expect(log.body.data[0]).toMatchObject({ actor: { id: ada.userId, email: null }, ip: null, userAgent: null });
  // The email address can be used again, and the new account gets a new ID.
  const again = await platform.api("POST", "/api/auth/sign-up", { body: { ...person, headers: undefined } });
  expect(again).toMatchObject({ status: 201 });
  expect(again.body.user.id).not.toBe(ada.userId);
});

describe("deleting a user", () => {
  test("closes organizations without other members, revokes their keys, and leaves other organizations unchanged", async ({
    platform,
  }) => {
    const admin = await platform.addUser({ role: "admin" });
    const host = await platform.addUser();
    const ada = await platform.addUser();
    const own = await addKey(platform, ada, ada);
    await erase(platform, admin, ada.userId);
    const closed = await platform.api("GET", `/api/admin/organizations/${ada.organizationId}`, { token: admin.token });
    expect(closed.body.organization).toMatchObject({ status: "closed", keyCount: 0, memberCount: 0 });
    expect(own.status).toBe("active");

    const member = await platform.addMember(host.organizationId, "member", { [host.teamId]: "member" });
    await addKey(platform, member, host);
    await erase(platform, admin, member.userId);
    // A key belongs to its team and keeps working after its creator is deleted.
    const left = await platform.api("GET", "/api/api-keys", { token: host.token });
    expect(left.body.data).toMatchObject([{ status: "active", createdBy: { id: member.userId } }]);
  });

  test("is rejected for the only owner of an organization with other members, and changes nothing", async ({
    platform,
  }) => {
    const admin = await platform.addUser({ role: "admin" });
    const owner = await platform.addUser();
    const second = await platform.addMember(owner.organizationId, "admin");
    expect(await erase(platform, admin, owner.userId)).toMatchObject({
      status: 409,
      body: { details: { reason: "LAST_OWNER", organizationId: owner.organizationId } },
    });
    expect((await platform.api("GET", "/api/api-keys", { token: owner.token })).status).toBe(200);
    const promoted = await platform.api("POST", `/api/gw/organizations/${owner.organizationId}/update-member`, {
      token: owner.token,
      body: { memberId: second.userId, role: "owner" },
    });
    expect(promoted.status).toBe(200);
    expect(await erase(platform, admin, owner.userId)).toMatchObject({ status: 200 });
    const { body } = await platform.api("GET", `/api/admin/organizations/${owner.organizationId}`, {
      token: admin.token,
    });
    expect(body.organization).toMatchObject({ status: "active", ownerId: second.userId, memberCount: 1 });
  });

  test("returns 404 the second time, and is rejected for the administrator's own account", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    expect((await erase(platform, admin, ada.userId)).status).toBe(200);
    expect((await erase(platform, admin, ada.userId)).status).toBe(404);
    expect(await erase(platform, admin, admin.userId)).toMatchObject({
      status: 409,
      body: { details: { reason: "SELF" } },
    });
    const hidden = await platform.api("GET", `/api/admin/users?search=deleted-${ada.userId}`, { token: admin.token });
    expect(hidden.body.data).toEqual([]);
    const shown = await platform.api("GET", "/api/admin/users?status=deleted", { token: admin.token });
    expect(shown.body.data[0]).toMatchObject({ status: "deleted" });
  });
});

test("the invariant check reports personal audit data that was changed or deleted", async ({ platform, database }) => {
  const admin = await platform.addUser({ role: "admin" });
  const ada = await platform.addUser();
  await addKey(platform, ada, ada);
  await addKey(platform, ada, ada);
  const verify = async () => {
    const { checks } = await findBrokenInvariants(database.connect("tollgate_worker"), {
      organizationId: ada.organizationId,
      isAtRest: true,
    });
    return checks.find(({ id }) => id === "I8")?.differences;
  };
  expect(await verify()).toEqual([]);
  const rows = `(select id from audit_log where organization_id = '${ada.organizationId}' and seq =`;
  await querySql(
    database.connectionString,
    `update audit_personal set personal = personal || '{"ip": "192.0.2.1"}' where audit_id = ${rows} 1)`,
  );
  await querySql(database.connectionString, `delete from audit_personal where audit_id = ${rows} 2)`);
  expect(await verify()).toMatchObject([{ found: "different data" }, { found: "none" }]);
  expect((await erase(platform, admin, ada.userId)).status).toBe(200);
  expect(await verify()).toMatchObject([{ found: "none" }]);
});

const erase = (platform: TestPlatform, admin: TestUser, userId: number) =>
  platform.api("DELETE", `/api/admin/users/${userId}`, { token: admin.token });

async function addKey(platform: TestPlatform, user: TestUser, { teamId }: TestUser) {
  const body = { name: "ci", team_id: teamId };
  return (await platform.api("POST", "/api/gw/api-keys", { token: user.token, body })).body.apiKey;
}

/** Creates a user with personal data in every table that can store it. */
async function liveALife(platform: TestPlatform, host: TestUser, admin: TestUser) {
  const { email, name, password, headers } = person;
  const call = async (method: string, path: string, body?: object, token?: string, key?: string) => {
    const answer = await platform.api(method, path, {
      ...(token !== undefined && { token }),
      ...(body !== undefined && { body }),
      headers: {
        ...(token !== host.token && token !== admin.token && headers),
        ...(key !== undefined && { "idempotency-key": key }),
      },
    });
    return answer;
  };
  const did = async (...parameters: Parameters<typeof call>) => {
    const answer = await call(...parameters);
    expect(answer, parameters[1]).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    return answer.body;
  };
  const member = { teamId: host.teamId, teamName: "x", email, role: "member" };
  await did("POST", "/api/gw/teams/invite-member", member, host.token, "invite");
  const account = await did("POST", "/api/auth/sign-up", { email, name, password });
  const userId: number = account.user.id;
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction.updateTable("users").set({ email_verified_at: new Date() }).where("id", "=", userId).execute(),
  );
  await call("POST", "/api/auth/token", { email, password: "not this one" });
  const { token } = await did("POST", "/api/auth/token", { email, password });
  await did("POST", "/api/auth/password/forgot", { email });
  const view = { id: "v1", page: "logs", name: `calls of ${name}`, search: "" };
  await did("PATCH", "/api/preferences", { savedViews: [view] }, token);
  const { pairing } = await did("POST", "/api/auth/pairings", { clientName: `laptop of ${name}` });
  await did("POST", `/api/auth/pairings/${pairing.code}/approve`, undefined, token);
  const mine = await did("GET", "/api/invitations", undefined, token);
  await did("POST", "/api/invitations/accept", { invitationId: mine.data[0].id }, token, "accept");
  const inHost = { ...headers, "x-gw-organization": host.organizationId };
  await platform.api("POST", "/api/gw/api-keys", {
    token,
    headers: inHost,
    body: { name: "ci", team_id: host.teamId },
  });
  await did("PUT", "/api/gw/organizations", { billingEmail: email, name: `${name} and friends` }, token);
  await did(
    "POST",
    "/api/gw/teams/invite-member",
    { ...member, teamId: account.team.id, email: "friend@example.org" },
    token,
  );
  await did("POST", "/api/gw/api-keys", { name: "own", team_id: account.team.id }, token, "key");
  const keys = await did("GET", "/api/api-keys", undefined, host.token);
  await did("POST", "/api/api-keys/update", { token: keys.data[0].id, name: "renamed" }, host.token, "rename");
  await did("PUT", "/api/gw/organizations", { billingEmail: email }, host.token, "billing");
  const promotion = { teamId: host.teamId, memberId: userId, role: "admin" };
  await did("POST", "/api/gw/teams/update-member", promotion, host.token, "promote");
  await did("PATCH", `/api/admin/users/${userId}`, { name: `${name} II` }, admin.token, "name");
  await did("PATCH", `/api/admin/users/${userId}`, { name }, admin.token, "name again");
  return { userId, token };
}

/** Returns the tables, in all schemas, that have a row with the user's data as text, JSON, or bytes. */
async function findTraces({ connectionString }: TestDatabase): Promise<string[]> {
  // Row-level security also applies to the owner unless the connection sets these options.
  const seeing = `${connectionString}?options=${encodeURIComponent("-c tollgate.door=on -c tollgate.administrator=on")}`;
  const tables = await querySql<{ name: string }>(
    seeing,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const spellings = traces.flatMap((trace) => [trace.toLowerCase(), Buffer.from(trace).toString("hex")]);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await querySql<{ text: string }>(seeing, `select lower(t::text) as text from ${name} t`);
    if (rows.some(({ text }) => spellings.some((spelling) => text.includes(spelling)))) found.push(name);
  }
  return found;
}
