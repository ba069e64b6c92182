import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { balanceOf, buy, moveCredit, simulate, startShop, USD } from "./purchases.fixture.ts";

test("a paid purchase adds credits and records the buyer and the cost", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser({ name: "Ada" });
  const bought = await buy(shop, owner, 25n * USD);
  expect(bought.status).toBe(201);
  const { purchase, checkoutUrl } = bought.body;
  expect(checkoutUrl).toBe(`https://tollgate.example/ui/checkout/${purchase.id}`);
  expect(purchase).toMatchObject({
    organizationId: owner.organizationId,
    amount: 25_000_000_000,
    fee: 0,
    tax: 0,
    currency: "USD",
    provider: "fake",
    status: "pending",
    providerPaymentId: null,
    createdBy: { id: owner.userId, name: "Ada" },
    paidAt: null,
    refunded: 0,
    shortfall: 0,
    usd: { amount: "25.000000000", refunded: "0.000000000" },
  });
  expect(await balanceOf(shop, owner)).toBe(0n);
  const paid = await simulate(shop, owner, purchase.id, "paid");
  expect(paid).toMatchObject({ status: 200, body: { purchase: { id: purchase.id, status: "paid" } } });
  expect(paid.body.purchase.paidAt).toMatch(/^\d{4}-.*Z$/);
  expect(await balanceOf(shop, owner)).toBe(25n * USD);
  const shown = await shop.api("GET", `/api/credits/purchases/${purchase.id}`, { token: owner.token });
  expect(shown.body).toEqual(paid.body);
  const events = await querySql<{ type: string }>(
    database.connectionString,
    `select type from outbox where organization_id = '${owner.organizationId}' order by id`,
  );
  expect(events.map(({ type }) => type)).toEqual(["purchase.paid"]);
  const audit = await querySql<{ action: string }>(
    database.connectionString,
    `select action from audit_log where organization_id = '${owner.organizationId}' order by seq`,
  );
  expect(audit.map(({ action }) => action)).toEqual(["purchase.created", "purchase.paid"]);
});

test("an idempotency key maps to one purchase per user and is rejected with a different body", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const first = await buy(shop, owner, 5n * USD, { key: "order-1" });
  const again = await buy(shop, owner, 5n * USD, { key: "order-1" });
  expect(again.status).toBe(201);
  expect(again.text).toBe(first.text);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  const other = await buy(shop, owner, 6n * USD, { key: "order-1" });
  expect(other).toMatchObject({ status: 409, body: { details: { reason: "IDEMPOTENCY_KEY_REUSED" } } });
  const colleague = await shop.addMember(owner.organizationId, "admin");
  expect((await buy(shop, colleague, 6n * USD, { key: "order-1" })).status).toBe(201);
  const stranger = await shop.addUser();
  expect((await buy(shop, stranger, 5n * USD, { key: "order-1" })).status).toBe(201);
  const missing = await shop.api("POST", "/api/credits/purchases", {
    token: owner.token,
    body: { amount: 5_000_000_000 },
  });
  expect(missing).toMatchObject({ status: 400, body: { details: { reason: "IDEMPOTENCY_KEY_REQUIRED" } } });
});

test("twenty concurrent requests with one idempotency key open one purchase", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const answers = await Promise.all(Array.from({ length: 20 }, () => buy(shop, owner, 5n * USD, { key: "at once" })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.purchase.id)).size).toBe(1);
  const { body } = await shop.api("GET", "/api/credits/purchases", { token: owner.token });
  expect(body.meta.total).toBe(1);
});

test("members can see but not create purchases, and other organizations can't see them", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const { body } = await buy(shop, owner, 5n * USD);
  const member = await shop.addMember(owner.organizationId, "member");
  const stranger = await shop.addUser();
  const path = `/api/credits/purchases/${body.purchase.id}`;
  expect((await shop.api("GET", path, { token: member.token })).status).toBe(200);
  expect((await shop.api("GET", "/api/credits/purchases", { token: member.token })).body.meta.total).toBe(1);
  expect(await buy(shop, member, 5n * USD)).toMatchObject({
    status: 403,
    body: { details: { reason: "ROLE_REQUIRED" } },
  });
  expect((await simulate(shop, member, body.purchase.id, "paid")).status).toBe(403);
  expect((await shop.api("GET", path, { token: stranger.token })).status).toBe(404);
  expect((await simulate(shop, stranger, body.purchase.id, "paid")).status).toBe(404);
  expect((await shop.api("GET", "/api/credits/purchases", { token: stranger.token })).body.meta.total).toBe(0);
  expect((await shop.api("GET", "/api/credits/purchases")).status).toBe(401);
});

describe("creating a purchase", () => {
  test.for([
    ["below the minimum", 4_990_000_000n],
    ["above the maximum", 10_000_010_000_000n],
    ["a fraction of a cent", 5_005_000_000n],
    ["zero", 0n],
    ["negative", -5_000_000_000n],
    ["the largest 64-bit integer", 9_223_372_036_854_775_807n],
    ["above the 64-bit range", 9_223_372_036_854_775_808n],
  ] as const)("rejects an invalid amount: %s", async ([, amount], { database }) => {
    const shop = await startShop(database);
    const owner = await shop.addUser();
    expect(await buy(shop, owner, amount)).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
    expect((await shop.api("GET", "/api/credits/purchases", { token: owner.token })).body.meta.total).toBe(0);
  });
});

test("return URLs must be on this server or an allowed origin", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  for (const successUrl of ["https://tollgate.example/done?x=1", "https://console.example/paid"]) {
    expect((await buy(shop, owner, 5n * USD, { successUrl })).status).toBe(201);
  }
  const refused = [
    "https://evil.example/",
    "https://tollgate.example.evil.example/",
    "https://tollgate.example@evil.example/",
    "https://user:password@tollgate.example/",
    "http://tollgate.example/",
    "https://tollgate.example:8443/",
    "javascript:alert(1)//tollgate.example",
    "//evil.example/path",
    "not an address",
  ];
  for (const url of refused) {
    expect(await buy(shop, owner, 5n * USD, { successUrl: url }), url).toMatchObject({ status: 400 });
    expect(await buy(shop, owner, 5n * USD, { cancelUrl: url }), url).toMatchObject({ status: 400 });
  }
});

test("a purchase smaller than the debt keeps the block and reports the shortfall, and paying the shortfall lifts the block", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const teamStatus = async () => {
    const path = "/api/quota";
    const { quota } = (await shop.api("GET", path, { token: owner.token })).body;
    return [quota.status, quota.blockedTeams];
  };
  await moveCredit(shop, owner, -12n * USD);
  expect(await teamStatus()).toEqual(["negative", 1]);
  const part = await buy(shop, owner, 5n * USD);
  expect(part.body.purchase).toMatchObject({ shortfall: 7_000_000_000, usd: { shortfall: "7.000000000" } });
  expect((await simulate(shop, owner, part.body.purchase.id, "paid")).body.purchase).toMatchObject({
    status: "paid",
    shortfall: 7_000_000_000,
  });
  expect(await teamStatus()).toEqual(["negative", 1]);
  const rest = await buy(shop, owner, 7n * USD);
  expect((await simulate(shop, owner, rest.body.purchase.id, "paid")).body.purchase.shortfall).toBe(0);
  expect(await teamStatus()).toEqual(["exhausted", 0]);
  // A refund makes the balance negative again and blocks the team in the same transaction.
  await simulate(shop, owner, rest.body.purchase.id, "refunded");
  expect(await teamStatus()).toEqual(["negative", 1]);
});

test("the test payment provider can simulate every payment outcome", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const stories: readonly (readonly [readonly string[], string, bigint])[] = [
    [["processing", "paid"], "paid", 10n],
    [["processing", "failed"], "failed", 0n],
    [["expired"], "expired", 0n],
    [["paid", "partially_refunded"], "paid", 5n],
    [["paid", "partially_refunded", "refunded"], "refunded", 0n],
    [["paid", "disputed"], "disputed", 0n],
    [["paid", "disputed", "dispute_won"], "paid", 10n],
    [["paid", "disputed", "dispute_lost"], "disputed", 0n],
    [["paid", "paid", "paid"], "paid", 10n],
  ];
  for (const [outcomes, status, credited] of stories) {
    const before = await balanceOf(shop, owner);
    const { purchase } = (await buy(shop, owner, 10n * USD)).body;
    let shown = "";
    for (const outcome of outcomes) shown = (await simulate(shop, owner, purchase.id, outcome)).body.purchase.status;
    expect(shown, outcomes.join()).toBe(status);
    expect((await balanceOf(shop, owner)) - before, outcomes.join()).toBe(credited * USD);
  }
  const wrong = await simulate(shop, owner, (await buy(shop, owner, 10n * USD)).body.purchase.id, "stolen");
  expect(wrong.status).toBe(400);
});

test("payments can't be simulated if payments are real or disabled", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const { purchase } = (await buy(shop, owner, 10n * USD)).body;
  const { billing } = shop.services;
  for (const services of [{ billing: null }, { billing: billing && { ...billing, simulator: null } }]) {
    const real = await startShop(database, { services });
    expect((await simulate(real, owner, purchase.id, "paid")).status).toBe(404);
  }
  const closed = await startShop(database, { services: { billing: null } });
  expect(await buy(closed, owner, 10n * USD)).toMatchObject({ status: 503, body: { code: "SERVER_ERROR" } });
});

test("purchases are listed newest first and can be filtered by status and time", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const ids: string[] = [];
  const times: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const { purchase } = (await buy(shop, owner, 5n * USD)).body;
    ids.unshift(purchase.id);
    times.unshift(purchase.createdAt);
    shop.advance(3_600_000);
  }
  await simulate(shop, owner, ids[1] as string, "paid");
  const list = async (query: string) => {
    const { body, status } = await shop.api("GET", `/api/credits/purchases?${query}`, { token: owner.token });
    return status === 200 ? body.data.map(({ id }: { id: string }) => id) : status;
  };
  expect(await list("")).toEqual(ids);
  expect(await list("pageSize=2&page=2")).toEqual(ids.slice(2));
  expect(await list("page=9")).toEqual([]);
  expect(await list("status=paid")).toEqual([ids[1]]);
  expect(await list("status=paid,pending&status=failed")).toEqual(ids);
  expect(await list(`startDate=${times[1]}`)).toEqual(ids.slice(0, 2));
  expect(await list(`endDate=${times[1]}`)).toEqual(ids.slice(2));
  expect(await list("startDate=2020-01-01&endDate=2020-02-01")).toEqual([]);
  expect(await list("status=stolen")).toBe(400);
  expect(await list("startDate=yesterday")).toBe(400);
});
