import { randomBytes, randomUUID } from "node:crypto";
import type { SimulatedOutcome } from "@tollgate/contracts/management/purchase.ts";
import { NANO_PER_CENT } from "@tollgate/domain/money.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { Stripe } from "stripe";
import {
  type BillingProvider,
  type SimulatedPurchase,
  WEBHOOK_SECRET_MIN_LENGTH,
} from "../credits/billing-provider.ts";
import { readWebhook, type WebhookOptions } from "./stripe-events.ts";

/**
 * Simulates payments for development and tests. The events have Stripe's format and signature, so the production code
 * processes them.
 */
export function createFakeBilling(options: WebhookOptions): BillingProvider {
  const own = new Secret(randomBytes(WEBHOOK_SECRET_MIN_LENGTH).toString("hex"));
  const webhookSecrets = () => [own, ...options.webhookSecrets()];
  return {
    name: "fake",
    createCheckout: async ({ purchaseId, baseUrl }) => ({
      kind: "open",
      sessionId: `fake_session_${purchaseId}`,
      url: `${baseUrl}/ui/checkout/${purchaseId}`,
    }),
    verifyWebhook: (body, headers) => readWebhook(body, headers["stripe-signature"], { ...options, webhookSecrets }),
    // Simulated events are delivered immediately, so payment states never need to be queried.
    fetchPayment: async () => null,
    simulator: {
      deliver: (purchase, outcome) => {
        const timestamp = Math.floor(options.now().getTime() / 1_000);
        const payload = JSON.stringify(makeEvent(purchase, outcome, timestamp));
        const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: own.reveal(), timestamp });
        return { body: Buffer.from(payload), headers: { "stripe-signature": signature } };
      },
    },
  };
}

function makeEvent(purchase: SimulatedPurchase, outcome: SimulatedOutcome, created: number) {
  const { type, object } = describe(purchase, outcome);
  return { id: `evt_fake_${randomUUID()}`, object: "event", created, type, data: { object } };
}

function describe(purchase: SimulatedPurchase, outcome: SimulatedOutcome): { type: string; object: object } {
  const cents = Number(purchase.amount / NANO_PER_CENT);
  const paymentId = `fake_payment_${purchase.id}`;
  const metadata = { purchase_id: purchase.id, organization_id: purchase.organizationId };
  const session = (type: string, payment_status: "paid" | "unpaid") => ({
    type: `checkout.session.${type}`,
    object: {
      id: purchase.providerSessionId,
      object: "checkout.session",
      client_reference_id: purchase.id,
      metadata,
      payment_intent: paymentId,
      payment_status,
      amount_total: cents,
      total_details: { amount_tax: 0 },
      currency: "usd",
    },
  });
  const refund = (amount_refunded: number) => ({
    type: "charge.refunded",
    object: {
      id: `fake_charge_${purchase.id}`,
      object: "charge",
      payment_intent: paymentId,
      metadata,
      amount_refunded,
      currency: "usd",
    },
  });
  const dispute = (type: string, status: string) => ({
    type: `charge.dispute.${type}`,
    object: {
      id: `fake_dispute_${purchase.id}`,
      object: "dispute",
      payment_intent: paymentId,
      amount: cents,
      currency: "usd",
      status,
    },
  });
  const outcomes: Readonly<Record<SimulatedOutcome, () => { type: string; object: object }>> = {
    paid: () => session("completed", "paid"),
    processing: () => session("completed", "unpaid"),
    failed: () => session("async_payment_failed", "unpaid"),
    expired: () => session("expired", "unpaid"),
    refunded: () => refund(cents),
    partially_refunded: () => refund(Math.ceil(cents / 2)),
    disputed: () => dispute("created", "needs_response"),
    dispute_won: () => dispute("closed", "won"),
    dispute_lost: () => dispute("closed", "lost"),
  };
  return outcomes[outcome]();
}
