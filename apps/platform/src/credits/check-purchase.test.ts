import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { createStripeBilling } from "../adapters/stripe-billing.ts";
import { type FakeStripe, startFakeStripe } from "../adapters/stripe-server.fixture.ts";
import type { TestUser } from "../people.fixture.ts";
import type { TestPlatform } from "../platform.fixture.ts";
import {
  balanceOf,
  buy,
  deliver,
  moveCredit,
  simulate,
  startShop,
  tellOf,
  USD,
  WEBHOOK_SECRET,
} from "./purchases.fixture.ts";

/** Starts a platform with a fake Stripe server that can be queried. */
async function startStripeShop(database: TestDatabase) {
  const stripe = await startFakeStripe();
  onTestFinished(() => stripe.close());
  const stripeWebhookSecrets = [new Secret(WEBHOOK_SECRET)];
  const billing = createStripeBilling({
    secretKey: new Secret("sk_test_0123456789abcdef"),
    apiBase: stripe.url,
    webhookSecrets: () => stripeWebhookSecrets,
    now: () => new Date(),
  });
  const shop = await startShop(database, {
    settings: { billing: { ...defaultPlatformSettings.billing, provider: "stripe", stripeWebhookSecrets } },
    services: { billing },
  });
  return { stripe, shop };
}

const check = (shop: TestPlatform, { token }: TestUser, id: string) =>
  shop.api("POST", `/api/credits/purchases/${id}/check`, { token });

function pay(stripe: FakeStripe, purchaseId: string): void {
  const session = stripe.sessions.get(purchaseId);
  if (session === undefined) throw new Error("there is no such session");
  session.status = "complete";
  session.payment_status = "paid";
}

const questions = (stripe: FakeStripe) => stripe.requests.filter(({ form }) => form.size === 0).length;

test("a status check credits a payment whose webhook was lost, exactly once", async ({ database }) => {
  const { stripe, shop } = await startStripeShop(database);
  const owner = await shop.addUser();
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  const open = await check(shop, owner, purchase.id);
  expect(open).toMatchObject({ status: 200, body: { purchase: { status: "pending", paidAt: null } } });
  expect(await balanceOf(shop, owner)).toBe(0n);

  pay(stripe, purchase.id);
  shop.advance(3_000);
  const paid = await check(shop, owner, purchase.id);
  expect(paid.body.purchase).toMatchObject({ status: "paid", providerPaymentId: `pi_test_${purchase.id}` });
  expect(await balanceOf(shop, owner)).toBe(20n * USD);

  shop.advance(3_000);
  expect((await check(shop, owner, purchase.id)).body).toEqual(paid.body);
  const reported = tellOf({ id: purchase.id, organizationId: owner.organizationId, cents: 2_000 });
  const late = reported.session("completed", { payment_intent: `pi_test_${purchase.id}` });
  expect((await deliver(shop, late)).status).toBe(200);
  expect(await balanceOf(shop, owner)).toBe(20n * USD);
  const { body } = await shop.api("GET", "/api/credits/transactions", { token: owner.token });
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([paid.body.purchase.transactionId]);
});

test("concurrent status checks result in one provider request and one credit", async ({ database }) => {
  const { stripe, shop } = await startStripeShop(database);
  const owner = await shop.addUser();
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  pay(stripe, purchase.id);
  const answers = await Promise.all(Array.from({ length: 8 }, () => check(shop, owner, purchase.id)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(questions(stripe)).toBe(1);
  expect(await balanceOf(shop, owner)).toBe(20n * USD);
});

test("a status check returns 503 while the provider is unavailable and leaves the purchase unchanged", async ({
  database,
}) => {
  const { stripe, shop } = await startStripeShop(database);
  const owner = await shop.addUser();
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  stripe.behavior = "breaks off before";
  const answer = await check(shop, owner, purchase.id);
  expect(answer).toMatchObject({ status: 503, body: { details: { reason: "UNAVAILABLE" } } });
  const { body } = await shop.api("GET", `/api/credits/purchases/${purchase.id}`, { token: owner.token });
  expect(body.purchase.status).toBe("pending");
});

test("a status check hides other organizations' purchases, rejects members, and makes no provider request for finished purchases", async ({
  database,
}) => {
  const { stripe, shop } = await startStripeShop(database);
  const owner = await shop.addUser();
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  expect((await check(shop, await shop.addUser(), purchase.id)).status).toBe(404);
  const member = await shop.addMember(owner.organizationId, "member");
  expect(await check(shop, member, purchase.id)).toMatchObject({ status: 403 });
  pay(stripe, purchase.id);
  await check(shop, owner, purchase.id);
  const before = questions(stripe);
  shop.advance(60_000);
  expect((await check(shop, owner, purchase.id)).body.purchase.status).toBe("paid");
  expect(questions(stripe)).toBe(before);
});

interface Step {
  readonly state: string;
  readonly at: string | null;
  readonly reference: string | null;
}

const timesOf = (steps: readonly Step[]) => steps.flatMap(({ at }) => (at === null ? [] : [at]));

test("the timeline lists all steps in order, omits the time of future steps, and includes the number of unblocked teams", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  await moveCredit(shop, owner, -3n * USD);
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  expect(purchase.timeline).toEqual([
    { state: "created", at: purchase.createdAt, reference: null },
    { state: "awaiting_payment", at: expect.any(String), reference: purchase.providerSessionId },
    { state: "paid", at: null, reference: null },
    { state: "credited", at: null, reference: null },
  ]);
  expect(purchase).toMatchObject({ transactionId: null, unblockedTeams: 0 });
  const paid = (await simulate(shop, owner, purchase.id, "paid")).body.purchase;
  expect(paid.unblockedTeams).toBe(1);
  expect(paid.timeline.slice(2)).toEqual([
    { state: "paid", at: expect.any(String), reference: paid.providerPaymentId },
    { state: "credited", at: paid.paidAt, reference: paid.transactionId },
  ]);
  const back = (await simulate(shop, owner, purchase.id, "refunded")).body.purchase;
  const steps: readonly Step[] = back.timeline;
  expect(steps.map(({ state }) => state)).toEqual(["created", "awaiting_payment", "paid", "credited", "refunded"]);
  expect(timesOf(steps)).toEqual(timesOf(steps).toSorted());
  expect(timesOf(steps)).toHaveLength(5);
  const { body } = await shop.api("GET", "/api/credits/purchases", { token: owner.token });
  expect(body.data[0].timeline).toEqual(steps);
});

test("the timeline of an unsuccessful purchase ends with its failed or expired step", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  for (const outcome of ["failed", "expired"]) {
    const { purchase } = (await buy(shop, owner, 20n * USD)).body;
    const { timeline } = (await simulate(shop, owner, purchase.id, outcome)).body.purchase;
    expect(timeline.map(({ state }: Step) => state)).toEqual(["created", "awaiting_payment", outcome]);
    expect(timesOf(timeline)).toHaveLength(3);
  }
});

test("transactions can be filtered by kind and exported as CSV with exact amounts and escaped formulas", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  await simulate(shop, owner, purchase.id, "paid");
  const administrator = await shop.addUser({ role: "admin" });
  await shop.api("POST", `/api/admin/organizations/${owner.organizationId}/credits`, {
    token: administrator.token,
    body: { amount: -1, reason: '=1+1,"x"' },
    headers: { "idempotency-key": "one" },
  });
  const read = (search: string) => shop.api("GET", `/api/credits/transactions?${search}`, { token: owner.token });
  const { text, headers } = await read("format=csv");
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(headers.get("content-disposition")).toContain("transactions.csv");
  const [head, taken, bought, end] = text.split("\r\n");
  expect(head).toBe("id,createdAt,kind,amount,balanceAfter,amountUsd,balanceAfterUsd,reference,description");
  expect(taken).toContain(`,adjustment,-1,19999999999,-0.000000001,19.999999999,,"'=1+1,""x"""`);
  expect(bought).toContain(`,purchase,20000000000,20000000000,20.000000000,20.000000000,${purchase.id},Credits bought`);
  expect(end).toBe("");
  const purchases = await read("format=csv&kind=purchase");
  expect(purchases.text.split("\r\n")).toHaveLength(3);
});
