import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { expect } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import type { TestPlatform } from "../platform.fixture.ts";
import {
  type Bought,
  balanceOf,
  buy,
  deliver,
  OLD_WEBHOOK_SECRET,
  type ReportedEvent,
  sign,
  startShop,
  tellOf,
  toPayload,
  USD,
  WEBHOOK_SECRET,
} from "./purchases.fixture.ts";

async function order(shop: TestPlatform, owner: TestUser, cents = 1_000): Promise<Bought> {
  const { body } = await buy(shop, owner, BigInt(cents) * 10_000_000n);
  return { id: body.purchase.id, organizationId: owner.organizationId, cents };
}

const statusOf = async (shop: TestPlatform, { token }: TestUser, { id }: Bought) =>
  (await shop.api("GET", `/api/credits/purchases/${id}`, { token })).body.purchase;

const countEvents = async ({ connectionString }: TestDatabase) =>
  (await querySql<{ count: string }>(connectionString, "select count(*) from webhook_events"))[0]?.count;

test("a signed event that is delivered three times is credited once, with either of two valid secrets", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const bought = await order(shop, owner);
  const paid = tellOf(bought).session("completed");
  expect((await deliver(shop, paid)).status).toBe(200);
  expect((await deliver(shop, paid)).body).toEqual({ received: true });
  expect((await deliver(shop, paid, { secret: OLD_WEBHOOK_SECRET })).status).toBe(200);
  // The provider may report the same event under a different ID.
  expect((await deliver(shop, { ...paid, id: "evt_again" })).status).toBe(200);
  expect(await balanceOf(shop, owner)).toBe(10n * USD);
  expect(await statusOf(shop, owner, bought)).toMatchObject({
    status: "paid",
    providerPaymentId: `pi_${bought.id}`,
    receiptUrl: null,
  });
  await deliver(shop, tellOf(bought).receipt());
  await deliver(shop, tellOf(bought).invoice());
  expect(await statusOf(shop, owner, bought)).toMatchObject({
    receiptUrl: `https://pay.example/${bought.id}`,
    invoiceUrl: `https://invoice.example/${bought.id}`,
  });
});

test("five hundred concurrent deliveries are credited once", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const bought = await order(shop, owner);
  const paid = tellOf(bought).session("completed");
  const statuses = await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      // Every tenth delivery has a different event ID.
      const reported = index % 10 === 0 ? { ...paid, id: `evt_${index}` } : paid;
      return (await deliver(shop, reported)).status;
    }),
  );
  // Deliveries that get no database connection in time receive 503, and the provider retries them.
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  expect(statuses).toContain(200);
  expect((await deliver(shop, paid)).status).toBe(200);
  expect(await balanceOf(shop, owner)).toBe(10n * USD);
  expect((await findBrokenInvariants(database.connect("tollgate_worker"))).ok).toBe(true);
});

test("rejects every delivery without a valid signature", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const paid = toPayload(tellOf(await order(shop, owner)).session("completed"));
  const other = toPayload(tellOf(await order(shop, owner)).session("completed"));
  const eventsBefore = await countEvents(database);
  const now = Math.floor(Date.now() / 1_000);
  const good = sign(paid);
  const digest = good.split("v1=")[1] as string;
  // The first body contains a replacement character. The second contains invalid bytes that decode to the same text.
  const spoilt = `${paid.slice(0, -1)},"note":"\ufffd"}`;
  const [head = "", tail = ""] = spoilt.split("\ufffd");
  const forged: Readonly<Record<string, readonly [body: string | Buffer, signature: string | null]>> = {
    "no header": [paid, null],
    "an empty header": [paid, ""],
    "a blank header": [paid, "   "],
    "another secret": [paid, sign(paid, { secret: "whsec_00000000000000000000000000000000" })],
    "a blank secret": [paid, sign(paid, { secret: " " })],
    "the secret in uppercase": [paid, sign(paid, { secret: WEBHOOK_SECRET.toUpperCase() })],
    "a truncated secret": [paid, sign(paid, { secret: WEBHOOK_SECRET.slice(0, -1) })],
    "the secret without its prefix": [paid, sign(paid, { secret: WEBHOOK_SECRET.slice(6) })],
    "the endpoint ID as the secret": [paid, sign(paid, { secret: "we_1" })],
    "scheme v0": [paid, sign(paid, { scheme: "v0" })],
    "scheme v2": [paid, sign(paid, { scheme: "v2" })],
    "the scheme in uppercase": [paid, good.replace("v1=", "V1=")],
    "a scheme without a name": [paid, good.replace("v1=", "=")],
    "an old timestamp": [paid, sign(paid, { timestamp: now - 301 - 5 })],
    "a timestamp from yesterday": [paid, sign(paid, { timestamp: now - 86_400 })],
    "a future timestamp": [paid, sign(paid, { timestamp: now + 301 + 5 })],
    "a timestamp in a year": [paid, sign(paid, { timestamp: now + 31_536_000 })],
    "a timestamp other than the signed one": [paid, good.replace(/t=\d+/, `t=${now - 1}`)],
    "two timestamps, the unsigned one first": [paid, `t=${now},${good}`],
    "two timestamps, the signed one first": [paid, `${good},t=${now}`],
    "no timestamp": [paid, `v1=${digest}`],
    "an empty timestamp": [paid, `t=,v1=${digest}`],
    "an invalid timestamp": [paid, `t=now,v1=${digest}`],
    "a negative timestamp": [paid, `t=-1,v1=${digest}`],
    "a timestamp in milliseconds": [paid, `t=${now}000,v1=${digest}`],
    "a fractional timestamp": [paid, `t=${now}.5,v1=${digest}`],
    "a hexadecimal timestamp": [paid, `t=0x${now.toString(16)},v1=${digest}`],
    "no signature": [paid, `t=${now}`],
    "an empty signature": [paid, `t=${now},v1=`],
    "half a signature": [paid, `t=${now},v1=${digest.slice(0, 32)}`],
    "a signature with extra digits": [paid, `t=${now},v1=${digest}00`],
    "a signature in uppercase": [paid, `t=${now},v1=${digest.toUpperCase()}`],
    "a signature of zeros": [paid, `t=${now},v1=${"0".repeat(64)}`],
    "another body's digest with a new timestamp": [paid, `t=${now},v1=${sign(other).split("v1=")[1]}`],
    "another body's signature": [paid, sign(other)],
    "a changed amount": [paid.replace('"amount_total":1000', '"amount_total":9000'), good],
    "an extra space": [`${paid} `, good],
    "a missing byte": [paid.slice(0, -1), good],
    "a leading byte order mark": [Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(paid)]), good],
    "invalid UTF-8": [Buffer.concat([Buffer.from(paid), Buffer.from([0xff])]), good],
    "invalid UTF-8 that decodes to the signed text": [
      Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from(tail)]),
      sign(spoilt),
    ],
    "an empty body": ["", good],
    "two events in one body": [`${paid}${paid}`, good],
    "another separator": [paid, good.replace(",", ";")],
    "a JSON header": [paid, JSON.stringify({ t: now, v1: digest })],
  };
  expect(Object.keys(forged).length).toBeGreaterThanOrEqual(40);
  for (const [name, [body, signature]] of Object.entries(forged)) {
    const response = await fetch(`${shop.url}/api/webhooks/stripe`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(signature !== null && { "stripe-signature": signature }) },
      body: new Uint8Array(Buffer.from(body)),
    });
    expect(response.status, name).toBe(400);
    expect(await response.json(), name).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { reason: "BAD_SIGNATURE" },
    });
  }
  const padded = JSON.stringify({ ...JSON.parse(paid), padding: "x".repeat(256 * 1024) });
  const huge = await shop.api("POST", "/api/webhooks/stripe", {
    body: padded,
    headers: { "stripe-signature": sign(padded) },
  });
  expect(huge.status).toBe(413);
  expect((await shop.api("GET", "/api/webhooks/stripe", { headers: { "stripe-signature": good } })).status).not.toBe(
    200,
  );
  expect(await countEvents(database)).toBe(eventsBefore);
  expect(await balanceOf(shop, owner)).toBe(0n);
});

test("rejects a stale delivery, and a freshly signed redelivery changes nothing", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const bought = await order(shop, owner);
  const paid = tellOf(bought).session("completed");
  const signed = sign(toPayload(paid));
  await deliver(shop, paid);
  shop.advance(3_600_000);
  const stale = await shop.api("POST", "/api/webhooks/stripe", {
    body: toPayload(paid),
    headers: { "stripe-signature": signed },
  });
  expect(stale.status).toBe(400);
  const timestamp = Math.floor(shop.services.now().getTime() / 1_000);
  expect((await deliver(shop, paid, { timestamp })).status).toBe(200);
  expect(await balanceOf(shop, owner)).toBe(10n * USD);
});

test.for([
  ["no secret", []],
  ["an empty secret", [""]],
  ["a secret that is too short", ["whsec_0123456789abcdef012345678"]],
] as const)("the webhook path returns 404 with %s", async ([, secrets], { database }) => {
  const billing = { ...defaultPlatformSettings.billing, stripeWebhookSecrets: secrets.map((text) => new Secret(text)) };
  const shop = await startShop(database, { settings: { billing } });
  const owner = await shop.addUser();
  const paid = tellOf(await order(shop, owner)).session("completed");
  expect((await deliver(shop, paid, { secret: secrets[0] ?? "x" })).status).toBe(404);
  expect(await balanceOf(shop, owner)).toBe(0n);
});

test("ignores a secret that is too short and accepts the valid one", async ({ database }) => {
  const stripeWebhookSecrets = [new Secret("short"), new Secret(WEBHOOK_SECRET)];
  const shop = await startShop(database, {
    settings: { billing: { ...defaultPlatformSettings.billing, stripeWebhookSecrets } },
  });
  const owner = await shop.addUser();
  const paid = tellOf(await order(shop, owner)).session("completed");
  expect((await deliver(shop, paid, { secret: "short" })).status).toBe(400);
  expect((await deliver(shop, paid)).status).toBe(200);
});

test.for([
  ["the amount", { amount_total: 999 }],
  ["the currency", { currency: "eur" }],
  ["the organization", { metadata: { organization_id: "org_00000000000000000000000000" } }],
  ["the payment", { payment_intent: null }],
] as const)(
  "a payment that differs in %s is not credited and is marked for review",
  async ([, changes], { database }) => {
    const shop = await startShop(database);
    const owner = await shop.addUser();
    const bought = await order(shop, owner);
    expect((await deliver(shop, tellOf(bought).session("completed", changes))).status).toBe(200);
    expect(await statusOf(shop, owner, bought)).toMatchObject({ status: "review", paidAt: null });
    expect(await balanceOf(shop, owner)).toBe(0n);
    const [alert] = await querySql<{ data: { purchaseId: string } }>(
      database.connectionString,
      `select data from outbox where organization_id = '${owner.organizationId}' and type = 'purchase.review'`,
    );
    expect(alert?.data.purchaseId).toBe(bought.id);
  },
);

test("one payment can't be credited to two purchases", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const [first, second] = [await order(shop, owner), await order(shop, owner)];
  await deliver(shop, tellOf(first).session("completed"));
  await deliver(shop, tellOf(second).session("completed", { payment_intent: `pi_${first.id}` }));
  expect(await statusOf(shop, owner, second)).toMatchObject({ status: "review" });
  expect(await balanceOf(shop, owner)).toBe(10n * USD);
});

test("accepts and ignores events for other products or unknown purchases", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const unknownPurchase = { id: "pur_00000000000000000000000000", organizationId: owner.organizationId, cents: 1_000 };
  const reported: ReportedEvent[] = [
    tellOf(unknownPurchase).session("completed"),
    tellOf(unknownPurchase).session("completed", { client_reference_id: "basket-7" }),
    tellOf(unknownPurchase).session("completed", { client_reference_id: null }),
    { id: "evt_customer", type: "customer.created", created: 1_800_000_000, object: { id: "cus_1" } },
    {
      id: "evt_inquiry",
      type: "charge.dispute.created",
      created: 1_800_000_000,
      object: { id: "dp_1", payment_intent: "pi_1", amount: 5, currency: "usd", status: "warning_needs_response" },
    },
  ];
  for (const event of reported) expect((await deliver(shop, event)).status).toBe(200);
  expect(await balanceOf(shop, owner)).toBe(0n);
});

test("payment events produce the same result and a balanced ledger, regardless of order and duplicates", async ({
  database,
}) => {
  const shop = await startShop(database);
  const histories: readonly ((bought: Bought) => readonly ReportedEvent[])[] = [
    (bought) => {
      const { session, refund, receipt } = tellOf(bought);
      return [session("completed"), refund(300), refund(700), refund(1_000), receipt()];
    },
    (bought) => {
      const { session, refund } = tellOf(bought);
      const late = session("completed", { payment_status: "unpaid" });
      return [late, session("async_payment_succeeded"), refund(250, true), session("expired")];
    },
    (bought) => {
      const { session, dispute, refund } = tellOf(bought);
      return [
        session("completed"),
        dispute("created", "needs_response"),
        dispute("closed", "won"),
        dispute("funds_reinstated", "won"),
        refund(400),
      ];
    },
    (bought) => {
      const { session, dispute } = tellOf(bought);
      return [
        session("completed"),
        dispute("created", "needs_response"),
        dispute("closed", "lost"),
        dispute("created", "needs_response", "two"),
        dispute("closed", "won", "two"),
      ];
    },
    (bought) => {
      const { session } = tellOf(bought);
      return [session("completed", { payment_status: "unpaid" }), session("async_payment_failed"), session("expired")];
    },
    (bought) => {
      const { session, refund } = tellOf(bought);
      return [session("completed", { amount_total: 1 }), refund(1), session("expired")];
    },
  ];
  const play = async (
    history: (typeof histories)[number],
    arrange: (reported: readonly ReportedEvent[]) => readonly ReportedEvent[],
  ) => {
    const owner = await shop.addUser();
    const bought = await order(shop, owner);
    for (const reported of arrange(history(bought))) expect((await deliver(shop, reported)).status).toBe(200);
    const { status, refunded, paidAt } = await statusOf(shop, owner, bought);
    const { quota } = (await shop.api("GET", "/api/quota", { token: owner.token })).body;
    const { balance, totalPurchased, totalRefunded, blockedTeams } = quota;
    return { status, refunded, isPaid: paidAt !== null, balance, totalPurchased, totalRefunded, blockedTeams };
  };
  const ends = new Map<number, unknown>();
  for (const [index, history] of histories.entries()) ends.set(index, await play(history, (reported) => reported));
  await fc.assert(
    fc.asyncProperty(
      fc.nat(histories.length - 1),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 }),
      async (index, keys) => {
        // Deliver each event twice, in random order.
        const shuffle = (reported: readonly ReportedEvent[]) =>
          [...reported, ...reported]
            .map((event, place) => ({ event, key: keys[place] as number }))
            .toSorted((one, other) => one.key - other.key)
            .map(({ event }) => event);
        expect(await play(histories[index] as (typeof histories)[number], shuffle)).toEqual(ends.get(index));
      },
    ),
    { numRuns: 20 },
  );
  const report = await findBrokenInvariants(database.connect("tollgate_worker"));
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
});

test("concurrent events for one payment are all applied", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  for (let round = 0; round < 10; round += 1) {
    const bought = await order(shop, owner);
    const { session, refund, dispute } = tellOf(bought);
    const reported = [
      refund(400),
      session("completed"),
      dispute("created", "needs_response"),
      dispute("closed", "won"),
    ];
    const answers = await Promise.all(reported.map((event) => deliver(shop, event)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await statusOf(shop, owner, bought)).toMatchObject({ status: "paid", refunded: 4_000_000_000 });
    expect(await balanceOf(shop, owner)).toBe(BigInt(round + 1) * 6n * USD);
  }
});
