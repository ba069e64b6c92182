import { findPurchase, openPurchase, storeCheckout } from "@tollgate/db/credits/purchases.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { runInOrganization, runUnauthenticated } from "@tollgate/db/tenancy.ts";
import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import type { PaymentSource } from "./payment-source.ts";
import { sweepPurchases } from "./sweep-purchases.ts";

const USD = 1_000_000_000n;
const MINUTE_MS = 60_000;

/** Sets up one organization and a simulated payment provider. */
async function openShop(database: TestDatabase) {
  const platform = database.connect("tollgate_platform");
  const worker = database.connect("tollgate_worker");
  const { organizationId } = await addTenant(platform);
  const user = await runUnauthenticated(platform, (atDoor) =>
    atDoor
      .insertInto("users")
      .values({ email: `${organizationId.toLowerCase()}@example.org`, name: "Ada" })
      .returning("id")
      .executeTakeFirstOrThrow(),
  );
  const known = new Map<string, PaymentEvent | Error>();
  const asked: string[] = [];
  const payments: PaymentSource = {
    name: "stripe",
    fetchPayment: async ({ id }) => {
      asked.push(id);
      const answer = known.get(id) ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const warnings: string[] = [];
  const logger = {
    info: () => {},
    warn: (text: string) => warnings.push(text),
    error: (text: string) => warnings.push(text),
  };
  const act = <Value>(work: Parameters<typeof runInOrganization<Value>>[2]) =>
    runInOrganization(platform, organizationId, work);
  return {
    worker,
    organizationId,
    known,
    asked,
    warnings,
    sweep: (nowMs = Date.now()) => sweepPurchases({ db: worker, payments, logger, now: () => new Date(nowMs) }),
    statusOf: async (id: string) => (await act((inside) => findPurchase(inside, organizationId, id)))?.status,
    order: async (ageMs: number, { opened = true } = {}) => {
      const id = makePrefixedId("pur", Date.now());
      await act(async (inside) => {
        await openPurchase(inside, {
          id,
          organizationId,
          userId: user.id,
          idempotencyKey: id,
          bodyDigest: Buffer.alloc(32),
          provider: "stripe",
          amount: 10n * USD,
          now: new Date(Date.now() - ageMs),
        });
        if (opened)
          await storeCheckout(inside, organizationId, id, { sessionId: `cs_${id}`, url: "https://pay.example" });
      });
      return id;
    },
  };
}

function reported(kind: "paid" | "expired", purchaseId: string, organizationId: string): PaymentEvent {
  return {
    id: `asked:${purchaseId}:${kind}`,
    at: new Date(),
    kind,
    purchaseId,
    organizationId,
    sessionId: `cs_${purchaseId}`,
    paymentId: `pi_${purchaseId}`,
    amountMinor: 1_000n,
    taxMinor: 0n,
    currency: "usd",
  };
}

test("finds and credits an unreported payment once, and leaves an open purchase pending", async ({ database }) => {
  const shop = await openShop(database);
  const [paid, expired, open, fresh] = [
    await shop.order(16 * MINUTE_MS),
    await shop.order(16 * MINUTE_MS),
    await shop.order(16 * MINUTE_MS),
    await shop.order(14 * MINUTE_MS),
  ];
  shop.known.set(paid, reported("paid", paid, shop.organizationId));
  shop.known.set(expired, reported("expired", expired, shop.organizationId));
  expect(await shop.sweep()).toBe(2);
  expect(shop.asked.toSorted()).toEqual([paid, expired, open].toSorted());
  expect(await Promise.all([paid, expired, open, fresh].map(shop.statusOf))).toEqual([
    "paid",
    "expired",
    "pending",
    "pending",
  ]);
  expect((await readQuota(shop.worker, shop.organizationId))?.balance).toBe(10n * USD);
  // The purchase was just checked, so its next check is due in 15 minutes.
  expect(await shop.sweep()).toBe(0);
  expect(shop.asked).toHaveLength(3);
  await shop.sweep(Date.now() + 16 * MINUTE_MS);
  expect(shop.asked.slice(3).toSorted()).toEqual([open, fresh].toSorted());
  expect((await readQuota(shop.worker, shop.organizationId))?.balance).toBe(10n * USD);
});

test("a provider error for one purchase does not delay checks of other purchases", async ({ database }) => {
  const shop = await openShop(database);
  const [first, second] = [await shop.order(20 * MINUTE_MS), await shop.order(16 * MINUTE_MS)];
  shop.known.set(first, new Error("away"));
  shop.known.set(second, reported("paid", second, shop.organizationId));
  expect(await shop.sweep()).toBe(1);
  expect(shop.warnings).toEqual([`could not check purchase ${first} with the payment provider`]);
  expect(await shop.statusOf(first)).toBe("pending");
  expect(await shop.statusOf(second)).toBe("paid");
});

test("a purchase without a checkout page fails after one day", async ({ database }) => {
  const shop = await openShop(database);
  const old = await shop.order(25 * 60 * MINUTE_MS, { opened: false });
  const young = await shop.order(23 * 60 * MINUTE_MS, { opened: false });
  expect(await sweepPurchases({ db: shop.worker, payments: null, logger: console, now: () => new Date() })).toBe(0);
  expect(await shop.statusOf(old)).toBe("failed");
  expect(await shop.statusOf(young)).toBe("pending");
});
