import { randomUUID } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { ApiAnswer } from "@tollgate/testkit/api-client.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { Stripe } from "stripe";
import { onTestFinished } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { type PlatformOptions, startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

export const USD = 1_000_000_000n;
export const WEBHOOK_SECRET = "whsec_0123456789abcdef0123456789abcdef";
export const OLD_WEBHOOK_SECRET = "whsec_fedcba9876543210fedcba9876543210";

/** Starts a platform with the fake billing provider and signed webhooks. Closes it after the test. */
export async function startShop(database: TestDatabase, options: PlatformOptions = {}): Promise<TestPlatform> {
  const platform = await startTestPlatform(database, {
    ...options,
    settings: {
      publicUrl: "https://tollgate.example",
      allowedOrigins: ["https://console.example"],
      billing: {
        ...defaultPlatformSettings.billing,
        provider: "fake",
        stripeWebhookSecrets: [new Secret(WEBHOOK_SECRET), new Secret(OLD_WEBHOOK_SECRET)],
      },
      ...options.settings,
    },
  });
  onTestFinished(() => platform.close());
  return platform;
}

export function buy(
  platform: TestPlatform,
  { token }: Pick<TestUser, "token">,
  amount: bigint,
  { key = randomUUID(), ...fields }: { key?: string; successUrl?: string; cancelUrl?: string } = {},
): Promise<ApiAnswer> {
  return platform.api("POST", "/api/credits/purchases", {
    token,
    body: { amount: amount.toString(), ...fields },
    headers: { "idempotency-key": key },
  });
}

export function simulate(platform: TestPlatform, { token }: TestUser, id: string, outcome: string): Promise<ApiAnswer> {
  return platform.api("POST", `/api/credits/purchases/${id}/simulate`, { token, body: { outcome } });
}

export async function balanceOf(platform: TestPlatform, { token }: TestUser): Promise<bigint> {
  const { body } = await platform.api("GET", "/api/balance", { token });
  return BigInt(body.usd.balance.replace(".", ""));
}

/** Adds or deducts credit as an administrator. */
export async function moveCredit(platform: TestPlatform, user: TestUser, amount: bigint): Promise<void> {
  const { token } = await platform.addUser({ role: "admin" });
  const path = `/api/admin/organizations/${user.organizationId}/credits`;
  const { status, text } = await platform.api("POST", path, {
    token,
    body: { amount: amount.toString(), reason: "for the test" },
    headers: { "idempotency-key": randomUUID() },
  });
  if (status !== 201) throw new Error(text);
}

/** An event in Stripe's format. */
export interface ReportedEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface Bought {
  readonly id: string;
  readonly organizationId: string;
  readonly cents: number;
}

/** Creates the events that a provider could send for a purchase. */
export function tellOf({ id, organizationId, cents }: Bought) {
  const payment_intent = `pi_${id}`;
  const metadata = { purchase_id: id, organization_id: organizationId };
  const event = (type: string, object: Readonly<Record<string, unknown>>, name = ""): ReportedEvent => ({
    id: `evt_${type}_${name}_${id}`,
    type,
    created: 1_800_000_000,
    object,
  });
  const session = (type: string, changes: Readonly<Record<string, unknown>> = {}) =>
    event(`checkout.session.${type}`, {
      id: `cs_${id}`,
      client_reference_id: id,
      metadata,
      payment_intent,
      payment_status: type === "completed" || type === "async_payment_succeeded" ? "paid" : "unpaid",
      amount_total: cents,
      currency: "usd",
      ...changes,
    });
  const dispute = (type: string, status: string, dispute = "one") =>
    event(
      `charge.dispute.${type}`,
      { id: `dp_${dispute}_${id}`, payment_intent, amount: cents, currency: "usd", status },
      `${dispute}_${status}`,
    );
  return {
    session,
    /** Events from older accounts have no metadata, so only the payment identifies the purchase. */
    refund: (amount_refunded: number, named = false) =>
      event(
        "charge.refunded",
        { id: `ch_${id}`, payment_intent, metadata: named ? metadata : {}, amount_refunded, currency: "usd" },
        String(amount_refunded),
      ),
    receipt: () =>
      event("charge.succeeded", { id: `ch_${id}`, payment_intent, metadata, receipt_url: `https://pay.example/${id}` }),
    invoice: () =>
      event("invoice.paid", { id: `in_${id}`, metadata, hosted_invoice_url: `https://invoice.example/${id}` }),
    dispute,
  };
}

export function toPayload({ id, type, created, object }: ReportedEvent): string {
  return JSON.stringify({ id, object: "event", created, type, data: { object } });
}

interface SigningOptions {
  readonly secret?: string;
  readonly timestamp?: number;
  readonly scheme?: string;
}

export function sign(payload: string, { secret = WEBHOOK_SECRET, timestamp, scheme }: SigningOptions = {}): string {
  return Stripe.webhooks.generateTestHeaderString({
    payload,
    secret,
    timestamp: timestamp ?? Math.floor(Date.now() / 1_000),
    ...(scheme !== undefined && { scheme }),
  });
}

/** Delivers an event the way the provider does. */
export function deliver(
  platform: TestPlatform,
  reported: ReportedEvent,
  options: SigningOptions = {},
): Promise<ApiAnswer> {
  const body = toPayload(reported);
  return platform.api("POST", "/api/webhooks/stripe", { body, headers: { "stripe-signature": sign(body, options) } });
}
