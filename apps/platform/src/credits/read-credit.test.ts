import { randomUUID } from "node:crypto";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addTestPrice, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { expect } from "vitest";
import { buy, moveCredit, simulate, startShop, USD } from "./purchases.fixture.ts";

test("a new organization has zero in every balance field", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const { body, headers } = await shop.api("GET", "/api/balance", { token: owner.token });
  expect(body).toEqual({
    balance: 0,
    held: 0,
    available: 0,
    unit: "nano-USD",
    currency: "USD",
    organizationId: owner.organizationId,
    status: "exhausted",
    updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    usd: { balance: "0.000000000", held: "0.000000000", available: "0.000000000" },
  });
  expect(headers.get("cache-control")).toBe("no-store");
  expect((await shop.api("GET", "/api/balance")).status).toBe(401);
  expect((await shop.api("GET", "/api/quota")).status).toBe(401);
  const { organizationId: _, ...member } = await shop.addMember(owner.organizationId, "member");
  expect((await shop.api("GET", "/api/balance", { token: member.token })).body.organizationId).toBe(
    owner.organizationId,
  );
});

test("held credit is the amount gateways report for live leases, plus the full amount of all other open leases", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  await moveCredit(shop, owner, 10n * USD);
  const lease = (node: string, state: string, granted: number) =>
    `insert into credit_leases (organization_id, node_id, epoch, granted, state)
     values ('${owner.organizationId}', '${node}', 1, ${granted}, '${state}');`;
  const use = (node: string, inUse: number, calls: number) =>
    `insert into lease_use (organization_id, node_id, epoch, in_use, calls)
     values ('${owner.organizationId}', '${node}', 1, ${inUse}, ${calls});`;
  await querySql(
    database.connectionString,
    lease("idle", "active", 1_000_000_000) +
      lease("busy", "active", 2_000_000_000) +
      use("busy", 4_000_000, 3) +
      lease("silent", "lapsed", 500_000_000) +
      use("silent", 1, 9) +
      lease("ending", "closing", 30_000_000) +
      lease("gone", "closed", 0) +
      use("gone", 77, 7) +
      `update organization_quota set leased = 3530000000 where organization_id = '${owner.organizationId}'`,
  );
  const held = 4_000_000 + 500_000_000 + 30_000_000;
  const { body } = await shop.api("GET", "/api/balance", { token: owner.token });
  expect(body).toMatchObject({ balance: 10_000_000_000, held, available: 10_000_000_000 - held, status: "ok" });
  const { quota } = (await shop.api("GET", "/api/quota", { token: owner.token })).body;
  expect(quota).toMatchObject({ held, activeHolds: 3, leased: 3_530_000_000, usd: { leased: "3.530000000" } });
});

test("the quota totals add up to the balance, and each total appears in the list of transactions", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const worker = database.connect("tollgate_worker");
  await addTestPrice(worker);
  await moveCredit(shop, owner, 7n * USD);
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  await simulate(shop, owner, purchase.id, "paid");
  await simulate(shop, owner, purchase.id, "partially_refunded");
  await moveCredit(shop, owner, -1n * USD);
  const tenant = { ...owner, keyId: "key_00000000000000000000000000", apiKey: "", tokenHash: Buffer.alloc(32) };
  await settleUsage(worker, [makeUsageEvent(tenant, 331_200n)]);
  const { quota } = (await shop.api("GET", "/api/quota", { token: owner.token })).body;
  expect(quota).toMatchObject({
    balance: 7_000_000_000 + 20_000_000_000 - 10_000_000_000 - 1_000_000_000 - 331_200,
    totalPurchased: 20_000_000_000,
    totalGranted: 7_000_000_000,
    totalAdjusted: -1_000_000_000,
    totalRefunded: 10_000_000_000,
    totalUsed: 331_200,
    totalExpired: 0,
    lowBalanceThreshold: null,
    status: "ok",
    teams: 1,
    blockedTeams: 0,
    usd: { totalUsed: "0.000331200", totalAdjusted: "-1.000000000" },
  });
  expect(quota.usd).not.toHaveProperty("lowBalanceThreshold");
  const list = async (query = "") =>
    (await shop.api("GET", `/api/credits/transactions${query}`, { token: owner.token })).body;
  const { data, meta } = await list();
  expect(meta).toEqual({ page: 1, pageSize: 20, total: 5, totalPages: 1 });
  expect(data.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount])).toEqual([
    ["usage", -331_200],
    ["adjustment", -1_000_000_000],
    ["refund", -10_000_000_000],
    ["purchase", 20_000_000_000],
    ["grant", 7_000_000_000],
  ]);
  expect(data[0].balanceAfter).toBe(quota.balance);
  expect(data[3]).toMatchObject({
    id: expect.stringMatching(/^txn_/),
    reference: purchase.id,
    usd: { amount: "20.000000000", balanceAfter: "27.000000000" },
  });
  expect((await list("?kind=grant,refund&pageSize=1&page=2")).data).toMatchObject([{ kind: "grant" }]);
  expect((await list("?endDate=2020-01-01")).data).toEqual([]);
  expect((await shop.api("GET", "/api/credits/transactions?kind=theft", { token: owner.token })).status).toBe(400);
  const stranger = await shop.addUser();
  const theirs = await shop.api("GET", "/api/credits/transactions", { token: stranger.token });
  expect(theirs.body.meta.total).toBe(0);
});

test("returns balances above 2^53 exactly", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const admin = await shop.addUser({ role: "admin" });
  const path = `/api/admin/organizations/${owner.organizationId}/credits`;
  const give = (amount: unknown) =>
    shop.api("POST", path, {
      token: admin.token,
      body: `{"amount": ${amount}, "reason": "more than 2^53"}`,
      headers: { "idempotency-key": randomUUID() },
    });
  const granted = await give('"9007199254740993"');
  expect(granted.status).toBe(201);
  expect(granted.text).toContain('"amount":9007199254740993,');
  expect(granted.text).toContain('"balanceAfter":9007199254740993,');
  expect(granted.body.quota.usd.balance).toBe("9007199.254740993");
  expect((await give("9007199254740993")).body).toMatchObject({ details: { reason: "AMOUNT_NOT_EXACT" } });
  expect((await give("1.5")).body).toMatchObject({ details: { reason: "AMOUNT_NOT_EXACT" } });
  expect((await give("9007199254740991")).status).toBe(201);
  const { text, body } = await shop.api("GET", "/api/balance", { token: owner.token });
  expect(text).toContain('"balance":18014398509481984,');
  expect(body.usd.balance).toBe("18014398.509481984");
  const [row] = await querySql<{ balance: string }>(
    database.connectionString,
    `select balance::text from organization_quota where organization_id = '${owner.organizationId}'`,
  );
  expect(row?.balance).toBe("18014398509481984");
  const { text: listed } = await shop.api("GET", "/api/credits/transactions", { token: owner.token });
  expect(listed).toContain('"amount":9007199254740993,');
});
