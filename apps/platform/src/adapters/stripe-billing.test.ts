import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { needs } from "@tollgate/testkit/needs.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished } from "vitest";
import { balanceOf, buy, deliver, startShop, tellOf, USD, WEBHOOK_SECRET } from "../credits/purchases.fixture.ts";
import { createStripeBilling } from "./stripe-billing.ts";
import { hasStripeMock, startFakeStripe, startStripeMock } from "./stripe-server.fixture.ts";

const PROCESS = join(import.meta.dirname, "../credits/shop-process.fixture.ts");
const SECRET_KEY = "sk_test_canary0123456789abcdef";

const billingAt = (apiBase: string) =>
  createStripeBilling({
    secretKey: new Secret(SECRET_KEY),
    apiBase,
    webhookSecrets: () => [new Secret(WEBHOOK_SECRET)],
    now: () => new Date(),
  });

async function startStripeShop(database: TestDatabase) {
  const stripe = await startFakeStripe();
  onTestFinished(() => stripe.close());
  const stripeWebhookSecrets = [new Secret(WEBHOOK_SECRET)];
  const shop = await startShop(database, {
    settings: { billing: { ...defaultPlatformSettings.billing, provider: "stripe", stripeWebhookSecrets } },
    services: { billing: billingAt(stripe.url) },
  });
  return { stripe, shop };
}

test("opens a checkout with an invoice that references the purchase, and credits the paid amount", async ({
  database,
}) => {
  const { stripe, shop } = await startStripeShop(database);
  const owner = await shop.addUser();
  const bought = await buy(shop, owner, 12_340_000_000n, { successUrl: "https://console.example/done" });
  expect(bought.status).toBe(201);
  const { purchase, checkoutUrl } = bought.body;
  expect(checkoutUrl).toBe(`https://pay.example/cs_test_${purchase.id}`);
  expect(purchase).toMatchObject({
    provider: "stripe",
    providerSessionId: `cs_test_${purchase.id}`,
    status: "pending",
  });
  const { form, authorization } = stripe.requests[0] as (typeof stripe.requests)[number];
  expect(authorization).toBe(`Bearer ${SECRET_KEY}`);
  expect(Object.fromEntries(form)).toMatchObject({
    mode: "payment",
    client_reference_id: purchase.id,
    customer_email: owner.email,
    "line_items[0][price_data][unit_amount]": "1234",
    "line_items[0][price_data][currency]": "usd",
    "metadata[organization_id]": owner.organizationId,
    "payment_intent_data[metadata][purchase_id]": purchase.id,
    "invoice_creation[enabled]": "true",
    success_url: "https://console.example/done",
    // By default, the payer returns to the page that shows the status of this order.
    cancel_url: expect.stringMatching(new RegExp(`^https?://.*/ui/credits\\?order=${purchase.id}$`)),
  });
  expect([...stripe.sessions.keys()]).toEqual([purchase.id]);
  const reported = tellOf({ id: purchase.id, organizationId: owner.organizationId, cents: 1_234 });
  expect((await deliver(shop, reported.session("completed"))).status).toBe(200);
  expect(await balanceOf(shop, owner)).toBe(12_340_000_000n);
  const simulated = await shop.api("POST", `/api/credits/purchases/${purchase.id}/simulate`, {
    token: owner.token,
    body: { outcome: "paid" },
  });
  expect(simulated.status).toBe(404);
});

describe("checkout retry with the same idempotency key", () => {
  test.for([
    ["the connection breaks before the provider creates a session", "breaks off before", 503],
    ["the provider creates a session, but its response is lost", "takes and says nothing", 503],
    ["the provider returns a server error", "fails", 502],
    ["the provider rejects the request", "refuses", 502],
  ] as const)("resumes the purchase after a failure: %s", async ([, behavior, status], { database }) => {
    const { stripe, shop } = await startStripeShop(database);
    const owner = await shop.addUser();
    stripe.behavior = behavior;
    const failed = await buy(shop, owner, 5n * USD, { key: "order" });
    expect(failed).toMatchObject({ status, body: { code: "SERVER_ERROR" } });
    expect(failed.text).not.toContain("sorry");
    const { data } = (await shop.api("GET", "/api/credits/purchases", { token: owner.token })).body;
    expect(data).toMatchObject([{ status: "failed", providerSessionId: null }]);
    stripe.behavior = "answers";
    const again = await buy(shop, owner, 5n * USD, { key: "order" });
    expect(again).toMatchObject({ status: 201, body: { purchase: { id: data[0].id, status: "pending" } } });
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(stripe.sessions.size).toBe(1);
    const replayed = await buy(shop, owner, 5n * USD, { key: "order" });
    expect(replayed.text).toBe(again.text);
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
  });

  test("resumes the purchase if the platform was killed while the provider was opening the page", async ({
    database,
  }) => {
    const { stripe, shop } = await startStripeShop(database);
    const owner = await shop.addUser();
    const child = spawn(process.execPath, [PROCESS, database.name, database.connectionString, stripe.url]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const [url] = (await once(child.stdout, "data")) as [Buffer];
    stripe.behavior = "never answers";
    const request = { amount: "5000000000" };
    const headers = {
      authorization: `Bearer ${owner.token}`,
      "content-type": "application/json",
      "idempotency-key": "order",
    };
    const lost = fetch(`${url.toString().trim()}/api/credits/purchases`, {
      method: "POST",
      headers,
      body: JSON.stringify(request),
    }).catch(() => "lost");
    await waitFor("the provider to open the page", () => stripe.sessions.size === 1);
    child.kill("SIGKILL");
    expect(await lost).toBe("lost");
    stripe.behavior = "answers";
    const again = await buy(shop, owner, 5n * USD, { key: "order" });
    const [id] = stripe.sessions.keys();
    expect(again).toMatchObject({ status: 201, body: { purchase: { id, status: "pending" } } });
    expect(stripe.sessions.size).toBe(1);
    const { meta } = (await shop.api("GET", "/api/credits/purchases", { token: owner.token })).body;
    expect(meta.total).toBe(1);
  });

  test("resumes the purchase if the platform crashed after the page was opened and before it was stored", async ({
    database,
  }) => {
    const { stripe, shop } = await startStripeShop(database);
    const owner = await shop.addUser();
    const real = billingAt(stripe.url);
    const dying = await startShop(database, {
      services: {
        billing: {
          ...real,
          createCheckout: async (request) => {
            await real.createCheckout(request);
            throw new Error("killed");
          },
        },
      },
    });
    expect((await buy(dying, owner, 5n * USD, { key: "order" })).status).toBe(500);
    expect(stripe.sessions.size).toBe(1);
    const again = await buy(shop, owner, 5n * USD, { key: "order" });
    const [id] = stripe.sessions.keys();
    expect(again).toMatchObject({ status: 201, body: { checkoutUrl: `https://pay.example/cs_test_${id}` } });
    expect(stripe.sessions.size).toBe(1);
    expect((await shop.api("GET", "/api/credits/purchases", { token: owner.token })).body.meta.total).toBe(1);
  });

  test("keeps a payment that arrived before the page was stored", async ({ database }) => {
    const { stripe, shop } = await startStripeShop(database);
    const owner = await shop.addUser();
    stripe.behavior = "takes and says nothing";
    await buy(shop, owner, 5n * USD, { key: "order" });
    const [id] = [...stripe.sessions.keys()] as [string];
    await deliver(shop, tellOf({ id, organizationId: owner.organizationId, cents: 500 }).session("completed"));
    expect(await balanceOf(shop, owner)).toBe(5n * USD);
    stripe.behavior = "answers";
    const again = await buy(shop, owner, 5n * USD, { key: "order" });
    expect(again.body.purchase).toMatchObject({ id, status: "paid" });
  });

  test("returns 409 with Retry-After while the provider is processing the same request", async ({ database }) => {
    const { stripe, shop } = await startStripeShop(database);
    const owner = await shop.addUser();
    stripe.behavior = "is busy";
    const busy = await buy(shop, owner, 5n * USD, { key: "order" });
    expect(busy).toMatchObject({ status: 409, body: { details: { reason: "IDEMPOTENCY_IN_PROGRESS" } } });
    expect(busy.headers.get("retry-after")).toBe("1");
  });
});

test("fetches the payment status of a checkout page", async () => {
  const stripe = await startFakeStripe();
  onTestFinished(() => stripe.close());
  const billing = billingAt(stripe.url);
  const purchaseId = "pur_00000000000000000000000001";
  const urls = { baseUrl: "https://t.example", successUrl: "https://t.example/", cancelUrl: "https://t.example/" };
  const opened = await billing.createCheckout({
    purchaseId,
    organizationId: "org_1",
    amount: 5n * USD,
    email: null,
    ...urls,
  });
  const providerSessionId = opened.kind === "open" ? opened.sessionId : "";
  const ask = () => billing.fetchPayment({ id: purchaseId, providerSessionId, createdAt: new Date() });
  expect(await ask()).toBeNull();
  const session = stripe.sessions.get(purchaseId);
  if (session === undefined) throw new Error("no session was made");
  session.status = "complete";
  expect(await ask()).toMatchObject({ kind: "processing", purchaseId });
  session.payment_status = "paid";
  expect(await ask()).toMatchObject({
    id: `asked:${providerSessionId}:paid`,
    kind: "paid",
    purchaseId,
    organizationId: "org_1",
    amountMinor: 500n,
    currency: "usd",
  });
  session.status = "expired";
  expect(await ask()).toMatchObject({ kind: "expired" });
  stripe.behavior = "fails";
  await expect(ask()).rejects.toThrow();
});

describe("against Stripe's published API", needs("Go and scripts/stripe-mock install", hasStripeMock), () => {
  test("creates a checkout with a valid request and fetches its status", async () => {
    const mock = await startStripeMock();
    onTestFinished(() => mock.stop());
    const billing = billingAt(mock.url);
    const opened = await billing.createCheckout({
      purchaseId: "pur_00000000000000000000000001",
      organizationId: "org_00000000000000000000000001",
      amount: 12_340_000_000n,
      email: "ada@example.org",
      baseUrl: "https://t.example",
      successUrl: "https://t.example/done",
      cancelUrl: "https://t.example/back",
    });
    expect(opened).toMatchObject({ kind: "open", sessionId: expect.stringMatching(/^cs_/) });
    const providerSessionId = opened.kind === "open" ? opened.sessionId : "";
    // This tests only that stripe-mock accepts the request. Stripe-mock's sessions don't name a purchase, so the result
    // is null.
    const asked = billing.fetchPayment({ id: "pur_1", providerSessionId, createdAt: new Date() });
    await expect(asked).resolves.toBeNull();
  });
});
