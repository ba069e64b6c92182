import { inspect } from "node:util";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { ApiAnswer } from "@tollgate/testkit/api-client.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import type { TestUser } from "../../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const refused = (status: number, reason: string) => ({ status, body: { details: { reason } } });
const patch = (platform: TestPlatform, admin: TestUser, id: number | string, body: object) =>
  platform.api("PATCH", `/api/admin/users/${id}`, { token: admin.token, body });
const remove = (platform: TestPlatform, admin: TestUser, id: number | string) =>
  platform.api("DELETE", `/api/admin/users/${id}`, { token: admin.token });
const get = (platform: TestPlatform, admin: TestUser, path: string) =>
  platform.api("GET", `/api/admin/${path}`, { token: admin.token });

test("returns 403 to users who are not administrators and 401 without a token", async ({ platform }) => {
  const user = await platform.addUser();
  const calls = [
    ["GET", "/api/admin/users"],
    ["GET", `/api/admin/users/${user.userId}`],
    ["PATCH", `/api/admin/users/${user.userId}`],
    ["DELETE", `/api/admin/users/${user.userId}`],
    ["GET", "/api/admin/organizations"],
    ["GET", `/api/admin/organizations/${user.organizationId}`],
    ["POST", `/api/admin/teams/${user.teamId}/block`],
    ["POST", `/api/admin/teams/${user.teamId}/unblock`],
    ["GET", "/api/admin/audit-log"],
  ] as const;
  for (const [method, path] of calls) {
    expect(await platform.api(method, path)).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
    expect(await platform.api(method, path, { token: user.token })).toMatchObject(refused(403, "ADMIN_REQUIRED"));
  }
});

describe("users", () => {
  test.for(["disabled", "erased"] as const)(
    "who are %s leave no invitation that can be accepted",
    async (how, { platform }) => {
      const admin = await platform.addUser({ role: "admin" });
      const { organizationId } = await platform.addUser();
      const sender = await platform.addMember(organizationId, "owner");
      const accomplice = await platform.addUser();
      const sent = await platform.api("POST", `/api/gw/organizations/${organizationId}/invite-member`, {
        token: sender.token,
        body: { email: accomplice.email, role: "admin" },
      });
      expect(sent.status).toBe(202);
      const { id } = sent.body.invitation;
      const ended =
        how === "disabled"
          ? await patch(platform, admin, sender.userId, { status: "disabled" })
          : await remove(platform, admin, sender.userId);
      expect(ended.status).toBe(200);
      const accepted = await platform.api("POST", "/api/invitations/accept", {
        token: accomplice.token,
        body: { invitationId: id },
      });
      expect(accepted.status).toBe(404);
      const action = how === "disabled" ? "user.disabled" : "user.deleted";
      const { body: log } = await get(platform, admin, `audit-log?action=${action}`);
      expect(log.data[0].after.revokedInvitations).toEqual([id]);
    },
  );

  test("can be listed, searched, filtered, and sorted", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const tag = `t${Date.now()}`;
    const ada = await platform.addUser({ email: `a%_${tag}@example.org`, name: "Zed" });
    const bob = await platform.addUser({ email: `b-${tag}@example.org`, name: "Amy" });
    const ids = async (query: string) =>
      (await get(platform, admin, `users?search=${tag}${query}`)).body.data.map((user: { id: number }) => user.id);
    expect(await ids("&sort=email")).toEqual([ada.userId, bob.userId]);
    expect(await ids("&sort=name")).toEqual([bob.userId, ada.userId]);
    expect(await ids("")).toEqual([bob.userId, ada.userId]);
    expect(await ids("&role=admin")).toEqual([]);
    expect((await get(platform, admin, "users?search=%25_")).body.data).toMatchObject([
      { id: ada.userId, email: ada.email, name: "Zed", role: "user", status: "active", organizations: 1 },
    ]);
    await patch(platform, admin, bob.userId, { status: "disabled" });
    expect(await ids("&status=disabled")).toEqual([bob.userId]);
    expect(await get(platform, admin, "users?sort=password")).toMatchObject(refused(400, "INVALID_FIELD"));
  });

  test("are listed with the cost of all requests with their keys", async ({ platform, database }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    const made = await platform.api("POST", "/api/gw/api-keys", {
      token: ada.token,
      body: { name: "ci", team_id: ada.teamId },
    });
    for (const day of [1, 2]) {
      await querySql(
        database.connectionString,
        `insert into usage_rollups (organization_id, bucket_at, team_id, key_id, model_group, provider,
        requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
        latency_ms_sum) values ('${ada.organizationId}', '2026-11-0${day}T00:00:00Z', '${ada.teamId}',
        '${made.body.apiKey.id}', 'fast', '', 1, 0, 0, 0, 0, 0, 0, 1500000, 1)`,
      );
    }
    const { body } = await get(platform, admin, `users?search=${encodeURIComponent(ada.email)}`);
    expect(body.data).toMatchObject([{ id: ada.userId, spent: 3_000_000, usd: { spent: "0.003000000" } }]);
  });

  test("are returned with their organizations, balances, and keys", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    await platform.api("POST", "/api/gw/api-keys", { token: ada.token, body: { name: "ci", team_id: ada.teamId } });
    expect((await get(platform, admin, `users/${ada.userId}`)).body).toMatchObject({
      user: { id: ada.userId, email: ada.email, emailVerified: true },
      organizations: [{ id: ada.organizationId, role: "owner", balance: 0, usd: { balance: "0.000000000" } }],
      keyCount: 1,
      lastLoginAt: null,
    });
    for (const id of ["0", "x", "-1", "99999999999", "2147483647"]) {
      expect(await get(platform, admin, `users/${id}`)).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
    }
  });

  test("lose access immediately when disabled, and can be enabled again", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    const me = () => platform.api("GET", "/api/api-keys", { token: ada.token });
    expect((await me()).status).toBe(200);
    expect((await patch(platform, admin, ada.userId, { status: "disabled" })).body.user.status).toBe("disabled");
    expect(await me()).toMatchObject(refused(403, "ACCOUNT_DISABLED"));
    await patch(platform, admin, ada.userId, { status: "active" });
    expect(await me()).toMatchObject(refused(401, "SESSION_REVOKED"));
  });

  test("can be changed only within ten minutes of a password entry", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    platform.advance(11 * 60_000);
    expect(await patch(platform, admin, ada.userId, { role: "admin" })).toMatchObject(
      refused(403, "REAUTHENTICATION_REQUIRED"),
    );
    expect(await remove(platform, admin, ada.userId)).toMatchObject(refused(403, "REAUTHENTICATION_REQUIRED"));
  });

  test("get one audit entry per change, and the audit log stores names separately", async ({ platform, database }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser({ name: "Before" });
    await patch(platform, admin, ada.userId, { role: "admin", name: "After" });
    const log = await get(platform, admin, `audit-log?target=${ada.userId}&actor=${admin.userId}&sort=at`);
    // Both entries have the same timestamp, so their order is undefined.
    expect(log.body.data.toSorted(byAction)).toMatchObject([
      { action: "user.updated", before: { name: "Before" }, after: { name: "After" }, organizationId: null },
      {
        action: "user.role_changed",
        actor: { type: "admin", id: admin.userId, email: admin.email },
        before: { role: "user" },
        after: { role: "admin" },
        ip: "127.0.0.1",
      },
    ]);
    const rows = await database
      .connect("tollgate_worker")
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "is", null)
      .execute();
    expect(inspect(rows, { depth: null })).not.toContain("After");
    await patch(platform, admin, ada.userId, { role: "user" });
  });
});

describe("the last administrator", () => {
  test("can't be demoted, disabled, or deleted, even by concurrent requests", async ({ platform, database }) => {
    const pair = [await platform.addUser({ role: "admin" }), await platform.addUser({ role: "admin" })] as const;
    const [one, other] = pair;
    await leaveOnly(platform, pair);
    const race = await raceOf(database, [
      () => patch(platform, one, other.userId, { role: "user" }),
      () => patch(platform, other, one.userId, { status: "disabled" }),
    ]);
    expect(race.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const left = race[0]?.status === 200 ? one : other;
    const gone = left === one ? other : one;
    expect(race.find(({ status }) => status === 409)).toMatchObject(refused(409, "LAST_ADMIN"));
    expect(await patch(platform, left, left.userId, { role: "user" })).toMatchObject(refused(409, "LAST_ADMIN"));
    expect(await patch(platform, left, left.userId, { name: "Still here" })).toMatchObject({ status: 200 });
    expect(await remove(platform, left, left.userId)).toMatchObject(refused(409, "SELF"));
    await patch(platform, left, gone.userId, { role: "admin", status: "active" });
  });

  test("remains when two administrators delete each other concurrently", async ({ platform, database }) => {
    const pair = [await platform.addUser({ role: "admin" }), await platform.addUser({ role: "admin" })] as const;
    await leaveOnly(platform, pair);
    const race = await raceOf(database, [
      () => remove(platform, pair[0], pair[1].userId),
      () => remove(platform, pair[1], pair[0].userId),
    ]);
    expect(race.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const rows = await runAsAdministrator(platform.services.db, (transaction) =>
      transaction.selectFrom("users").select("id").where("role", "=", "admin").where("status", "=", "active").execute(),
    );
    expect(rows).toHaveLength(1);
  });
});

describe("an administrator", () => {
  test("finds organizations by name or ID, with their quota and teams", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    const found = await get(platform, admin, `organizations?search=${ada.organizationId}`);
    expect(found.body).toMatchObject({
      data: [{ id: ada.organizationId, ownerId: ada.userId, memberCount: 1, teamCount: 1, keyCount: 0, balance: 0 }],
      meta: { total: 1 },
    });
    const detail = await get(platform, admin, `organizations/${ada.organizationId}`);
    expect(detail.body).toMatchObject({
      organization: { id: ada.organizationId, status: "active", personal: true },
      quota: { balance: 0, held: 0, available: 0, leased: 0 },
      teams: [{ id: ada.teamId, status: "active", blockedReason: null }],
    });
    expect(await get(platform, admin, "organizations/org_x")).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
  });

  test("can block and unblock a team, which is idempotent and audited", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    const post = (verb: string, body: object = { reason: "abuse" }) =>
      platform.api("POST", `/api/admin/teams/${ada.teamId}/${verb}`, { token: admin.token, body });
    const blocked = { status: "blocked", blockedReason: "admin" };
    expect((await post("block")).body.team).toMatchObject(blocked);
    expect((await post("block")).body.team).toMatchObject(blocked);
    expect((await post("unblock", {})).body.team).toMatchObject({ status: "active", blockedReason: null });
    expect((await post("unblock")).body.team).toMatchObject({ status: "active" });
    const log = await get(platform, admin, `audit-log?target=${ada.teamId}&sort=at`);
    expect(log.body.data).toMatchObject([
      { action: "team.blocked", after: { ...blocked, reason: "abuse" } },
      { action: "team.unblocked", before: blocked, after: { status: "active" } },
    ]);
    expect(await post("block", {})).toMatchObject(refused(400, "INVALID_FIELD"));
    expect(
      await platform.api("POST", "/api/admin/teams/team_x/block", { token: admin.token, body: { reason: "abuse" } }),
    ).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
  });

  test("can't unblock a team with a negative balance until the debt is paid", async ({ platform }) => {
    const admin = await platform.addUser({ role: "admin" });
    const ada = await platform.addUser();
    const move = (amount: number) =>
      platform.api("POST", `/api/admin/organizations/${ada.organizationId}/credits`, {
        token: admin.token,
        headers: { "idempotency-key": `k${amount}-${ada.userId}` },
        body: { amount, reason: "test of debts" },
      });
    const post = (verb: string) =>
      platform.api("POST", `/api/admin/teams/${ada.teamId}/${verb}`, { token: admin.token, body: { reason: "abuse" } });
    expect(await move(-5_000_000_000)).toMatchObject({ status: 201 });
    expect(await post("unblock")).toMatchObject(refused(409, "NEGATIVE_BALANCE"));
    expect((await post("block")).body.team.blockedReason).toBe("admin");
    // Unblocking doesn't lift the block for a negative balance.
    expect((await post("unblock")).body.team).toMatchObject({ status: "blocked", blockedReason: "negative_balance" });
    await post("block");
    await move(6_000_000_000);
    const team = (await get(platform, admin, `organizations/${ada.organizationId}`)).body.teams[0];
    expect(team).toMatchObject({ status: "blocked", blockedReason: "admin" });
    expect((await post("unblock")).body.team).toMatchObject({ status: "active" });
  });
});

/** Makes these two users the only administrators. */
async function leaveOnly(platform: TestPlatform, pair: readonly TestUser[]): Promise<void> {
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .updateTable("users")
      .set({ role: "user" })
      .where(
        "id",
        "not in",
        pair.map(({ userId }) => userId),
      )
      .execute(),
  );
}

/** Starts both calls and lets them continue only when both are waiting for the administrators' rows. */
async function raceOf(database: TestDatabase, calls: readonly (() => Promise<ApiAnswer>)[]): Promise<ApiAnswer[]> {
  return runAsAdministrator(database.connect("tollgate_platform"), async (transaction) => {
    await transaction.selectFrom("users").select("id").where("role", "=", "admin").forUpdate().execute();
    const answers = Promise.all(calls.map((call) => call()));
    await waitFor("both to wait", async () => {
      const waiting = await querySql(
        database.connectionString,
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return waiting.length === calls.length;
    });
    return { answers };
  }).then(({ answers }) => answers);
}

function byAction(one: { action: string }, other: { action: string }): number {
  return other.action.localeCompare(one.action);
}
