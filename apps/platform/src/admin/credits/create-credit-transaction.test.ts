import { randomUUID } from "node:crypto";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { startShop, USD } from "../../credits/purchases.fixture.ts";
import type { TestUser } from "../../people.fixture.ts";
import type { TestPlatform } from "../../platform.fixture.ts";

function move(
  platform: TestPlatform,
  admin: TestUser,
  organizationId: string,
  body: { amount: bigint | string; reason?: string; expiresAt?: string },
  key: string = randomUUID(),
) {
  return platform.api("POST", `/api/admin/organizations/${organizationId}/credits`, {
    token: admin.token,
    body: { reason: "goodwill", ...body, amount: String(body.amount) },
    headers: { "idempotency-key": key },
  });
}

test("an administrator grants and deducts credit, and the audit log stores the reason", async ({ database }) => {
  const shop = await startShop(database);
  const [owner, admin] = [await shop.addUser(), await shop.addUser({ role: "admin" })];
  const given = await move(shop, admin, owner.organizationId, { amount: 5n * USD, reason: "welcome" });
  expect(given).toMatchObject({
    status: 201,
    body: {
      transaction: { kind: "grant", amount: 5_000_000_000, balanceAfter: 5_000_000_000, description: "welcome" },
      quota: { organizationId: owner.organizationId, balance: 5_000_000_000, totalGranted: 5_000_000_000 },
    },
  });
  const taken = await move(shop, admin, owner.organizationId, { amount: -6n * USD, reason: "given by mistake" });
  expect(taken.body).toMatchObject({
    transaction: { kind: "adjustment", amount: -6_000_000_000 },
    quota: { balance: -1_000_000_000, status: "negative", blockedTeams: 1 },
  });
  const rows = await querySql<{ action: string; after: { reason: string }; actor: { type: string; id: number } }>(
    database.connectionString,
    `select action, after, actor from audit_log
      where organization_id = '${owner.organizationId}' and action like 'credits.%' order by seq`,
  );
  expect(rows.map(({ action, after, actor }) => [action, after.reason, actor.type, actor.id])).toEqual([
    ["credits.granted", "welcome", "admin", admin.userId],
    ["credits.adjusted", "given by mistake", "admin", admin.userId],
  ]);
});

test("an idempotency key grants credit only once and is scoped to one administrator and one organization", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const [one, two] = [await shop.addUser({ role: "admin" }), await shop.addUser({ role: "admin" })];
  const grant = { amount: 5n * USD };
  const first = await move(shop, one, owner.organizationId, grant, "monthly");
  const again = await move(shop, one, owner.organizationId, grant, "monthly");
  expect(again.text).toBe(first.text);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await move(shop, one, owner.organizationId, { amount: 6n * USD }, "monthly")).status).toBe(409);
  expect((await move(shop, two, owner.organizationId, grant, "monthly")).body.quota.balance).toBe(10_000_000_000);
  expect((await move(shop, one, two.organizationId, grant, "monthly")).body.quota.balance).toBe(5_000_000_000);
  // Stored responses expire after a day, but the ledger still recognizes the idempotency key.
  await querySql(database.connectionString, "delete from idempotency_keys");
  const later = await move(shop, one, owner.organizationId, grant, "monthly");
  expect(later.status).toBe(201);
  expect(later.headers.get("idempotent-replayed")).toBe("true");
  expect(later.body.transaction.id).toBe(first.body.transaction.id);
  expect(later.body.quota.balance).toBe(10_000_000_000);
  for (const amount of [6n * USD, -5n * USD]) {
    const other = await move(shop, one, owner.organizationId, { amount }, "monthly");
    expect(other).toMatchObject({ status: 409, body: { details: { reason: "IDEMPOTENCY_KEY_REUSED" } } });
  }
  const missing = await shop.api("POST", `/api/admin/organizations/${owner.organizationId}/credits`, {
    token: one.token,
    body: { amount: 1, reason: "no key" },
  });
  expect(missing.status).toBe(400);
});

test("the daily credit limit per administrator holds under concurrent requests", async ({ database }) => {
  const limits = { ...defaultPlatformSettings.limits, creditsPerDayPerAdministratorNanoUsd: 10n * USD };
  const shop = await startShop(database, { settings: { limits: { ...limits, callsPerMinutePerUser: 1_000 } } });
  const owner = await shop.addUser();
  const [admin, other] = [await shop.addUser({ role: "admin" }), await shop.addUser({ role: "admin" })];
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      move(shop, admin, owner.organizationId, { amount: (index % 2 === 0 ? 3n : -3n) * USD }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ details: { reason: "LIMIT_REACHED" } });
  expect(refused?.body.error).toContain("1.000000000 USD");
  expect((await move(shop, admin, owner.organizationId, { amount: 1n * USD })).status).toBe(201);
  expect((await move(shop, other, owner.organizationId, { amount: 3n * USD })).status).toBe(201);
});

test("a grant can have an expiry date in the future, and a deduction can't have an expiry date", async ({
  database,
}) => {
  const shop = await startShop(database);
  const [owner, admin] = [await shop.addUser(), await shop.addUser({ role: "admin" })];
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
  expect((await move(shop, admin, owner.organizationId, { amount: 5n * USD, expiresAt })).status).toBe(201);
  const [lot] = await querySql<{ expires_at: Date }>(
    database.connectionString,
    `select expires_at from grant_lots where organization_id = '${owner.organizationId}'`,
  );
  expect(lot?.expires_at.toISOString()).toBe(expiresAt);
  for (const body of [
    { amount: -1n, expiresAt },
    { amount: 1n, expiresAt: "2020-01-01" },
    { amount: 1n, expiresAt: "soon" },
  ]) {
    expect((await move(shop, admin, owner.organizationId, body)).status).toBe(400);
  }
});

test.for([
  ["an amount of zero", { amount: 0n }],
  ["an empty reason", { amount: 1n, reason: "" }],
  ["a reason of two letters", { amount: 1n, reason: "ok" }],
  ["a reason that is too long", { amount: 1n, reason: "x".repeat(501) }],
  ["an amount above the 64-bit range", { amount: 2n ** 63n }],
  ["an amount below the 64-bit range", { amount: -(2n ** 63n) }],
] as const)("rejects %s", async ([, body], { database }) => {
  const limits = { ...defaultPlatformSettings.limits, creditsPerDayPerAdministratorNanoUsd: 2n ** 64n };
  const shop = await startShop(database, { settings: { limits } });
  const [owner, admin] = [await shop.addUser(), await shop.addUser({ role: "admin" })];
  expect((await move(shop, admin, owner.organizationId, body)).status).toBe(400);
});

test("rejects grants that would overflow the 64-bit balance", async ({ database }) => {
  const limits = { ...defaultPlatformSettings.limits, creditsPerDayPerAdministratorNanoUsd: 2n ** 70n };
  const shop = await startShop(database, { settings: { limits } });
  const [owner, admin] = [await shop.addUser(), await shop.addUser({ role: "admin" })];
  const most = 2n ** 63n - 1n;
  expect((await move(shop, admin, owner.organizationId, { amount: most })).text).toContain(`"balance":${most}`);
  const over = await move(shop, admin, owner.organizationId, { amount: 1n });
  expect(over).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
  const { text } = await shop.api("GET", "/api/balance", { token: owner.token });
  expect(text).toContain(`"balance":${most}`);
});

test("requires an existing organization and an administrator with a recent password entry", async ({ database }) => {
  const shop = await startShop(database);
  const [owner, admin] = [await shop.addUser(), await shop.addUser({ role: "admin" })];
  expect(await move(shop, owner, owner.organizationId, { amount: 1n })).toMatchObject({
    status: 403,
    body: { details: { reason: "ADMIN_REQUIRED" } },
  });
  expect((await move(shop, admin, "org_00000000000000000000000000", { amount: 1n })).status).toBe(404);
  shop.advance(11 * 60_000);
  expect(await move(shop, admin, owner.organizationId, { amount: 1n })).toMatchObject({
    status: 403,
    body: { details: { reason: "REAUTHENTICATION_REQUIRED" } },
  });
});
