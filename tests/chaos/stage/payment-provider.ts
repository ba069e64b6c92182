import { createHmac, randomUUID } from "node:crypto";
import type { PlatformRequest } from "./account.ts";
import { WEBHOOK_SECRET } from "./tollgate.ts";

/** A purchase in the payment provider's records. */
export interface Payment {
  readonly purchaseId: string;
  readonly organizationId: string;
  readonly sessionId: string;
  readonly cents: number;
}

export interface ProviderEvent {
  readonly id: string;
  readonly text: string;
}

/** Returns the provider's events for a payment by a slow method and for a refund of half the payment. */
export function describeRunEvents(payment: Payment): readonly ProviderEvent[] {
  const paymentId = `pi_${payment.purchaseId}`;
  const session = (payment_status: string) => ({
    id: payment.sessionId,
    object: "checkout.session",
    client_reference_id: payment.purchaseId,
    metadata: { purchase_id: payment.purchaseId, organization_id: payment.organizationId },
    payment_intent: paymentId,
    payment_status,
    amount_total: payment.cents,
    total_details: { amount_tax: 0 },
    currency: "usd",
  });
  const charge = {
    id: `ch_${payment.purchaseId}`,
    object: "charge",
    payment_intent: paymentId,
    metadata: { purchase_id: payment.purchaseId, organization_id: payment.organizationId },
    amount_refunded: payment.cents / 2,
    currency: "usd",
  };
  return [
    event("checkout.session.completed", session("unpaid")),
    event("checkout.session.async_payment_succeeded", session("paid")),
    event("charge.refunded", charge),
  ];
}

/** Returns the delivery of an event. Each attempt is signed with its own timestamp. */
export function deliver(
  { text }: ProviderEvent,
  atSeconds = Math.floor(Date.now() / 1_000),
  secret = WEBHOOK_SECRET,
): PlatformRequest {
  const digest = createHmac("sha256", secret).update(`${atSeconds}.${text}`).digest("hex");
  return { body: text, headers: { "stripe-signature": `t=${atSeconds},v1=${digest}` } };
}

/** Returns forged deliveries, which must have no effect. */
export function forge(genuine: ProviderEvent): readonly PlatformRequest[] {
  const now = Math.floor(Date.now() / 1_000);
  const other = { id: genuine.id, text: genuine.text.replace(/"evt_[^"]+"/, `"evt_${randomUUID()}"`) };
  const { headers } = deliver(genuine);
  return [
    { body: other.text },
    { body: other.text, ...(headers && { headers }) },
    deliver(other, now - 301),
    deliver(other, now + 600),
    deliver(other, now, "whsec_of_another_account_entirely_0123456789"),
    deliver(other, now, ""),
    { body: other.text, headers: { "stripe-signature": `t=${now},v1=` } },
    { body: other.text, headers: { "stripe-signature": `t=${now},v0=${"0".repeat(64)}` } },
  ];
}

function event(type: string, object: object): ProviderEvent {
  const id = `evt_${randomUUID()}`;
  const created = Math.floor(Date.now() / 1_000);
  return { id, text: JSON.stringify({ id, object: "event", created, type, data: { object } }) };
}
