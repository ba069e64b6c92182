import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { isWellFormedKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { describe, expect, onTestFinished } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const refused = (status: number, reason: string) => ({ status, body: { details: { reason } } });

async function create(platform: TestPlatform, user: TestUser, fields: object = {}) {
  const body = { name: "ci", team_id: user.teamId, ...fields };
  const answer = await platform.api("POST", "/api/gw/api-keys", { token: user.token, body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.apiKey;
}

const update = (platform: TestPlatform, user: TestUser, body: object) =>
  platform.api("POST", "/api/api-keys/update", { token: user.token, body });
const remove = (platform: TestPlatform, user: TestUser, apiKey: string) =>
  platform.api("POST", "/api/api-keys/remove", { token: user.token, body: { apiKey } });
const list = (platform: TestPlatform, user: TestUser, query = "") =>
  platform.api("GET", `/api/api-keys${query}`, { token: user.token });

async function addTeam(platform: TestPlatform, organizationId: string, columns: { models?: string[] } = {}) {
  const id = makePrefixedId("team", Date.now());
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .insertInto("teams")
      .values({ id, organization_id: organizationId, name: id, ...columns })
      .execute(),
  );
  return id;
}

describe("creating a key", () => {
  test("returns the secret once, and every later response masks it", async ({ platform }) => {
    const ada = await platform.addUser();
    const made = await create(platform, ada);
    expect(made).toMatchObject({
      name: "ci",
      team_id: ada.teamId,
      organizationId: ada.organizationId,
      createdBy: { id: ada.userId, name: "Test User" },
      status: "active",
      models: null,
      budget: null,
      rateLimit: null,
      expiresAt: null,
      lastUsedAt: null,
      rotatedAt: null,
      usage: { total: 0, daily: 0, weekly: 0, monthly: 0 },
      usd: { total: "0.000000000" },
    });
    expect(isWellFormedKey(made.token)).toBe(true);
    const masked = `${made.token.slice(0, 8)}…${made.token.slice(-4)}`;
    const listed = await list(platform, ada);
    expect(listed.body.data).toMatchObject([{ id: made.id, token: masked }]);
    const one = await platform.api("GET", `/api/api-keys/${made.id}`, { token: ada.token });
    expect(one.body.apiKey.token).toBe(masked);
    expect(listed.text + one.text).not.toContain(made.token);
  });

  test("accepts limits and returns them", async ({ platform }) => {
    const ada = await platform.addUser();
    const expiresAt = "2099-01-01T00:00:00.000Z";
    const made = await create(platform, ada, {
      expiresAt,
      models: ["fast"],
      budget: { limit: "9007199254740993", period: "monthly" },
      rateLimit: { rpm: 5 },
    });
    expect(made).toMatchObject({
      expiresAt,
      models: ["fast"],
      budget: { period: "monthly", usd: { limit: "9007199.254740993" } },
      rateLimit: { rpm: 5, tpm: null, maxParallel: null },
    });
  });

  test("accepts the team as team_id or teamId and rejects two different values", async ({ platform }) => {
    const ada = await platform.addUser();
    const post = (body: object) => platform.api("POST", "/api/gw/api-keys", { token: ada.token, body });
    expect(await post({ name: "ci", teamId: ada.teamId })).toMatchObject({ status: 201 });
    expect(await post({ name: "ci", teamId: ada.teamId, team_id: ada.teamId })).toMatchObject({ status: 201 });
    const other = await addTeam(platform, ada.organizationId);
    expect(await post({ name: "ci", teamId: ada.teamId, team_id: other })).toMatchObject(refused(400, "INVALID_FIELD"));
    expect(await post({ name: "ci" })).toMatchObject(refused(400, "INVALID_FIELD"));
  });

  test.for([
    ["an empty name", { name: "" }],
    ["a name with a control character", { name: "a\nb" }],
    ["a name of 101 characters", { name: "x".repeat(101) }],
    ["a past expiry", { expiresAt: "2020-01-01T00:00:00Z" }],
    ["an invalid expiry", { expiresAt: "next tuesday" }],
    ["an empty list of models", { models: [] }],
    ["a negative budget", { budget: { limit: -1 } }],
    ["an unknown period", { budget: { limit: 1, period: "hourly" } }],
    ["a negative limit", { rateLimit: { rpm: -1 } }],
  ] as const)("rejects %s", async ([, fields], { platform }) => {
    const ada = await platform.addUser();
    const body = { name: "ci", team_id: ada.teamId, ...fields };
    expect(await platform.api("POST", "/api/gw/api-keys", { token: ada.token, body })).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_ERROR" },
    });
    expect((await list(platform, ada)).body.meta.total).toBe(0);
  });

  test("is allowed for team members and organization administrators, and returns 404 for another organization's team", async ({
    platform,
  }) => {
    const owner = await platform.addUser();
    const stranger = await platform.addUser();
    const member = await platform.addMember(owner.organizationId, "member");
    const teammate = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "member" });
    const admin = await platform.addMember(owner.organizationId, "admin");
    const post = (user: TestUser, team_id: string) =>
      platform.api("POST", "/api/gw/api-keys", { token: user.token, body: { name: "ci", team_id } });
    expect(await post(stranger, owner.teamId)).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
    for (const unknown of [makePrefixedId("team", Date.now()), "team_nope", "no team"]) {
      expect(await post(owner, unknown)).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
      const read = await platform.api("GET", `/api/gw/teams/${encodeURIComponent(unknown)}`, { token: owner.token });
      expect(read).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
    }
    expect(await post(member, owner.teamId)).toMatchObject(refused(403, "ROLE_REQUIRED"));
    expect(await post(teammate, owner.teamId)).toMatchObject({ status: 201 });
    expect(await post(admin, owner.teamId)).toMatchObject({ status: 201 });
  });

  test("rejects models that the team does not have", async ({ platform }) => {
    const ada = await platform.addUser();
    const team_id = await addTeam(platform, ada.organizationId, { models: ["openai/*", "fast"] });
    const post = (models: string[]) =>
      platform.api("POST", "/api/gw/api-keys", { token: ada.token, body: { name: "ci", team_id, models } });
    expect(await post(["openai/gpt-*", "fast"])).toMatchObject({ status: 201 });
    for (const beyond of ["slow", "*", "all-proxy-models"]) {
      expect(await post(["fast", beyond])).toMatchObject(refused(400, "INVALID_FIELD"));
    }
    const { id } = await create(platform, ada, { team_id });
    expect(await update(platform, ada, { token: id, models: ["slow"] })).toMatchObject(refused(400, "INVALID_FIELD"));
  });

  test("enforces the team's key limit for concurrent requests, and does not count removed keys", async ({
    database,
    platform: { services },
  }) => {
    const limits = { ...defaultPlatformSettings.limits, keysPerTeam: 5 };
    const platform = await startTestPlatform(database, {
      settings: { limits },
      services: { tokens: services.tokens },
    });
    onTestFinished(() => platform.close());
    const ada = await platform.addUser();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        platform.api("POST", "/api/gw/api-keys", { token: ada.token, body: { name: "ci", team_id: ada.teamId } }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(limits.keysPerTeam);
    expect(answers.find(({ status }) => status !== 201)).toMatchObject(refused(409, "LIMIT_REACHED"));
    await remove(platform, ada, made[0]?.body.apiKey.id);
    await create(platform, ada);
  });
});

describe("an existing key", () => {
  test("can be renamed, disabled, enabled, and given a new expiry time", async ({ platform }) => {
    const ada = await platform.addUser();
    const { id, token } = await create(platform, ada);
    expect((await update(platform, ada, { token, name: "prod" })).body.apiKey).toMatchObject({ id, name: "prod" });
    expect((await update(platform, ada, { token: id, disabled: true })).body.apiKey.status).toBe("disabled");
    expect((await update(platform, ada, { token: id, disabled: false })).body.apiKey.status).toBe("active");
    const soon = new Date(platform.services.now().getTime() + 60_000).toISOString();
    await update(platform, ada, { token: id, expiresAt: soon });
    platform.advance(61_000);
    expect((await list(platform, ada, "?status=expired")).body.data).toMatchObject([{ id, status: "expired" }]);
    expect((await update(platform, ada, { token: id, expiresAt: null })).body.apiKey).toMatchObject({
      status: "active",
      expiresAt: null,
    });
    expect(await update(platform, ada, { token: id })).toMatchObject(refused(400, "INVALID_FIELD"));
  });

  test("can be given limits that can later be removed", async ({ platform }) => {
    const ada = await platform.addUser();
    const { id } = await create(platform, ada, { rateLimit: { rpm: 5, tpm: 7 } });
    const limited = await update(platform, ada, { token: id, rateLimit: { rpm: 9 }, budget: { limit: 1000 } });
    expect(limited.body.apiKey).toMatchObject({
      rateLimit: { rpm: 9, tpm: 7, maxParallel: null },
      budget: { limit: 1000, period: "none", spent: 0, remaining: 1000 },
    });
    const free = await update(platform, ada, { token: id, rateLimit: null, budget: null });
    expect(free.body.apiKey).toMatchObject({ rateLimit: null, budget: null });
  });

  test("can't be found by a masked value or with a wrong checksum, and other users get the same 404 as for an unknown key", async ({
    platform,
  }) => {
    const ada = await platform.addUser();
    const eve = await platform.addUser();
    const { id, token } = await create(platform, ada);
    const masked = `${token.slice(0, 8)}…${token.slice(-4)}`;
    expect(await update(platform, ada, { token: masked, name: "x" })).toMatchObject(refused(400, "MASKED_KEY"));
    expect(await remove(platform, ada, masked)).toMatchObject(refused(400, "MASKED_KEY"));
    const absent = makePrefixedId("key", Date.now());
    const nothing = { ...(await remove(platform, eve, absent)).body, requestId: "" };
    for (const name of [id, token, `${token.slice(0, -1)}_`, "key_x", "'; drop table api_keys; --", "sk-"]) {
      const answer = await remove(platform, eve, name);
      expect({ ...answer.body, requestId: "" }).toEqual(nothing);
      expect(answer.status).toBe(404);
      expect((await update(platform, eve, { token: name, name: "mine" })).status).toBe(404);
      expect(
        (await platform.api("GET", `/api/api-keys/${encodeURIComponent(name)}`, { token: eve.token })).status,
      ).toBe(404);
    }
    expect((await platform.api("GET", `/api/api-keys/${id}`, { token: ada.token })).body.apiKey.name).toBe("ci");
  });

  test("can be changed by its creator and by administrators, but not by other team members", async ({ platform }) => {
    const owner = await platform.addUser();
    const maker = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "member" });
    const teammate = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "member" });
    const teamAdmin = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "admin" });
    const outsider = await platform.addMember(owner.organizationId, "member");
    const { id } = await create(platform, { ...maker, teamId: owner.teamId });
    expect((await list(platform, teammate)).body.data).toMatchObject([{ id }]);
    expect((await list(platform, outsider)).body.data).toEqual([]);
    const rename = (user: TestUser) => update(platform, user, { token: id, name: "n" });
    expect(await rename(teammate)).toMatchObject(refused(403, "ROLE_REQUIRED"));
    expect(await remove(platform, teammate, id)).toMatchObject(refused(403, "ROLE_REQUIRED"));
    expect(await rename(outsider)).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
    for (const user of [maker, teamAdmin, owner]) expect(await rename(user)).toMatchObject({ status: 200 });
  });

  test("can be removed once, and then stays visible but can't be changed", async ({ platform }) => {
    const ada = await platform.addUser();
    const { id, token } = await create(platform, ada);
    expect(await remove(platform, ada, token)).toMatchObject({ status: 200, body: { removed: true, id } });
    expect((await remove(platform, ada, id)).status).toBe(404);
    expect(await update(platform, ada, { token: id, name: "x" })).toMatchObject(refused(409, "KEY_REVOKED"));
    const rotated = await platform.api("POST", "/api/api-keys/rotate", { token: ada.token, body: { apiKey: id } });
    expect(rotated).toMatchObject(refused(409, "KEY_REVOKED"));
    expect((await list(platform, ada)).body.data).toEqual([]);
    expect((await list(platform, ada, "?status=revoked")).body.data).toMatchObject([{ id, status: "revoked" }]);
    expect((await platform.api("GET", `/api/api-keys/${id}`, { token: ada.token })).body.apiKey.status).toBe("revoked");
  });

  test("reports its daily, weekly, monthly, and total usage, and its last use", async ({ platform, database }) => {
    const ada = await platform.addUser();
    const { id } = await create(platform, ada);
    const now = platform.services.now();
    const startOfDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
    const yearAgo = new Date(startOfDay.getTime() - 400 * 86_400_000);
    const rollup = (at: Date, cost: string) =>
      querySql(
        database.connectionString,
        `insert into usage_rollups values ('${ada.organizationId}', '${at.toISOString()}', '${ada.teamId}', '${id}',
          'fast', 'acme', 1, 0, 0, 0, 0, 0, 0, ${cost}, 1)`,
      );
    await rollup(startOfDay, "5");
    await rollup(yearAgo, "9007199254740993");
    const { text, body } = await platform.api("GET", `/api/api-keys/${id}`, { token: ada.token });
    expect(text).toContain('"total":9007199254740998');
    expect(body.apiKey.usage).toMatchObject({ daily: 5, weekly: 5, monthly: 5 });
    expect(body.apiKey.usd).toMatchObject({ total: "9007199.254740998", daily: "0.000000005" });
    // The time of last use can't be before the creation time.
    expect(new Date(body.apiKey.lastUsedAt).getTime()).toBeGreaterThanOrEqual(
      new Date(body.apiKey.createdAt).getTime(),
    );
  });
});

describe("the key list", () => {
  test("can be searched by name and last four characters, filtered, sorted, and paged", async ({ platform }) => {
    const ada = await platform.addUser();
    const bob = await platform.addMember(ada.organizationId, "admin");
    const other = await addTeam(platform, ada.organizationId);
    const first = await create(platform, ada, { name: "50%_off\\" });
    const second = await create(platform, ada, { name: "Beta" });
    const third = await create(platform, { ...bob, teamId: other }, { name: "alpha" });
    const names = async (query: string) =>
      (await list(platform, ada, query)).body.data.map((key: { name: string }) => key.name);
    expect(await names("?search=%25")).toEqual([first.name]);
    expect(await names("?search=_")).toEqual([first.name]);
    expect(await names("?search=%5C")).toEqual([first.name]);
    expect(await names("?search=BET")).toEqual(["Beta"]);
    expect(await names(`?search=${second.token.slice(-4)}`)).toEqual(["Beta"]);
    expect(await names(`?teamId=${other}`)).toEqual(["alpha"]);
    expect(await names("?createdBy=me&sort=name")).toEqual([first.name, "Beta"]);
    expect(await names(`?createdBy=${bob.userId}`)).toEqual(["alpha"]);
    expect(await names("?createdBy=9999999999")).toEqual([]);
    expect(await names("?page=2000000000")).toEqual([]);
    expect(await names("?sort=-name")).toEqual(["Beta", "alpha", first.name]);
    expect(await names("")).toEqual(["alpha", "Beta", first.name]);
    expect(await names("?sort=lastUsedAt")).toHaveLength(3);
    const page = await list(platform, ada, "?page=2&pageSize=2");
    expect(page.body).toMatchObject({
      data: [{ id: first.id }],
      meta: { page: 2, pageSize: 2, total: 3, totalPages: 2 },
    });
    expect((await list(platform, ada, "?page=9")).body.data).toEqual([]);
    expect(third.id).not.toBe(second.id);
  });

  test.for(["?page=0", "?pageSize=101", "?pageSize=x", "?sort=token", "?status=gone", "?createdBy=you"])(
    "rejects %s",
    async (query, { platform }) => {
      const ada = await platform.addUser();
      expect(await list(platform, ada, query)).toMatchObject(refused(400, "INVALID_FIELD"));
    },
  );
});

test("ignores owner, organization, secret, and status fields in the request body", async ({ platform }) => {
  const ada = await platform.addUser();
  const eve = await platform.addUser();
  const { id: taken } = await create(platform, eve);
  const forged = {
    id: taken,
    organizationId: eve.organizationId,
    organization_id: eve.organizationId,
    createdBy: { id: eve.userId },
    user_id: eve.userId,
    token_hash: "00",
    status: "revoked",
    revoked_at: "2020-01-01T00:00:00Z",
    allowed_routes: ["management"],
    usage: { total: -1 },
  };
  const made = await create(platform, ada, forged);
  expect(made).toMatchObject({ organizationId: ada.organizationId, createdBy: { id: ada.userId }, status: "active" });
  expect(made.id).not.toBe(taken);
  const changed = await update(platform, ada, { ...forged, team_id: eve.teamId, token: made.id, name: "same" });
  expect(changed.body.apiKey).toMatchObject({
    ...made,
    token: expect.stringContaining("…"),
    name: "same",
    updatedAt: expect.any(String),
  });
});

test("every change writes an event or an audit entry, and no entry contains a secret", async ({
  platform,
  database,
}) => {
  const ada = await platform.addUser();
  const { id, token } = await create(platform, ada);
  await update(platform, ada, { token, name: "prod" });
  await update(platform, ada, { token, disabled: true });
  const rotated = await platform.api("POST", "/api/api-keys/rotate", { token: ada.token, body: { apiKey: token } });
  await remove(platform, ada, id);
  const rows = await querySql<{ action: string; before: object; after: object; text: string }>(
    database.connectionString,
    `select action, before, after, row_to_json(a)::text as text from audit_log a
     where organization_id = '${ada.organizationId}' order by seq`,
  );
  expect(rows.map(({ action }) => action)).toEqual([
    "key.created",
    "key.updated",
    "key.disabled",
    "key.rotated",
    "key.revoked",
  ]);
  expect(rows[1]).toMatchObject({ before: { name: "ci" }, after: { name: "prod" } });
  const events = await querySql<{ type: string; text: string }>(
    database.connectionString,
    `select type, data::text as text from outbox where organization_id = '${ada.organizationId}' order by id`,
  );
  expect(events.map(({ type }) => type)).toEqual(["key.created", "key.revoked"]);
  const written = [...rows, ...events].map(({ text }) => text).join();
  for (const secret of [token, rotated.body.apiKey.token]) expect(written).not.toContain(secret);
  expect(written).not.toContain(ada.email);
});

test("callers can manage keys in all of their organizations, whichever organization is active", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const guest = await platform.addUser();
  const join = { organization_id: ada.organizationId, user_id: guest.userId, role: "member" } as const;
  await runAsAdministrator(platform.services.db, async (transaction) => {
    await transaction.insertInto("organization_members").values(join).execute();
    await transaction
      .insertInto("team_members")
      .values({ ...join, team_id: ada.teamId })
      .execute();
  });
  const there = { ...guest, teamId: ada.teamId };
  const made = await create(platform, there);
  expect(made).toMatchObject({ organizationId: ada.organizationId, createdBy: { id: guest.userId } });
  // Lists contain only keys in the active organization.
  expect((await list(platform, guest)).body.data).toEqual([]);
  expect((await list(platform, ada)).body.data).toMatchObject([{ id: made.id }]);
  const get = (user: TestUser) => platform.api("GET", `/api/api-keys/${made.id}`, { token: user.token });
  expect(await get(guest)).toMatchObject({ status: 200, body: { apiKey: { id: made.id } } });
  expect(await update(platform, guest, { token: made.token, name: "renamed" })).toMatchObject({ status: 200 });
  const rotated = await platform.api("POST", "/api/api-keys/rotate", {
    token: guest.token,
    body: { apiKey: made.id },
  });
  expect(rotated).toMatchObject({ status: 200, body: { apiKey: { name: "renamed" } } });
  // The user's role in the key's organization applies, not the role in the active organization.
  const foreign = await create(platform, ada);
  expect(await update(platform, guest, { token: foreign.id, name: "x" })).toMatchObject(refused(403, "ROLE_REQUIRED"));
  const stranger = await platform.addUser();
  expect(await get(stranger)).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
  expect(await remove(platform, stranger, rotated.body.apiKey.token)).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
  expect(await remove(platform, guest, rotated.body.apiKey.token)).toMatchObject({
    status: 200,
    body: { id: made.id },
  });
});
