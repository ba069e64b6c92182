import type { PaymentEvent, PaymentReport } from "@tollgate/domain/billing/payment-event.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { Stripe } from "stripe";
import { WEBHOOK_SECRET_MIN_LENGTH, type WebhookReading } from "../credits/billing-provider.ts";

export interface WebhookOptions {
  /** Webhook secrets. There are two during a rotation. Secrets that are too short are ignored. */
  readonly webhookSecrets: () => readonly Secret[];
  readonly now: () => Date;
}

const TOLERANCE_SECONDS = 300;
const SIGNED_AT = /(?:^|,)t=(\d{1,12})(?=,|$)/g;

/** Reads a webhook if its signature matches these exact bytes and is less than five minutes old. */
export function readWebhook(body: Buffer, signature: unknown, { webhookSecrets, now }: WebhookOptions): WebhookReading {
  const text = body.toString("utf8");
  // The library compares decoded text, which may match even if invalid UTF-8 makes the bytes differ.
  if (typeof signature !== "string" || !Buffer.from(text, "utf8").equals(body)) return { kind: "forged" };
  if (!isSignedRecently(signature, now())) return { kind: "forged" };
  const secrets = webhookSecrets().filter((secret) => secret.reveal().length >= WEBHOOK_SECRET_MIN_LENGTH);
  for (const secret of secrets) {
    const event = verify(text, signature, secret, now());
    if (event === null) continue;
    const read = translateEvent(event);
    return read === null ? { kind: "ignored" } : { kind: "event", event: read };
  }
  return { kind: "forged" };
}

/** Reports whether the timestamp is recent. Unlike the library, this check also rejects future timestamps. */
function isSignedRecently(signature: string, now: Date): boolean {
  const times = [...signature.matchAll(SIGNED_AT)].map((match) => Number(match[1]));
  const [signedAt] = times;
  if (signedAt === undefined || times.length > 1) return false;
  return Math.abs(Math.floor(now.getTime() / 1_000) - signedAt) <= TOLERANCE_SECONDS;
}

function verify(text: string, signature: string, secret: Secret, now: Date): Stripe.Event | null {
  try {
    return Stripe.webhooks.constructEvent(
      text,
      signature,
      secret.reveal(),
      TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    );
  } catch {
    // Malformed headers make the library throw various errors. Anything that can't be verified is treated as forged.
    return null;
  }
}

/** Translates an event; returns null if the event isn't relevant. */
function translateEvent(event: Stripe.Event): PaymentEvent | null {
  const head = { id: event.id, at: new Date(event.created * 1_000) };
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired":
      return translateSession(head, event.data.object, kindOf(event.type, event.data.object));
    case "charge.refunded":
      return translateRefund(head, event.data.object);
    case "charge.succeeded":
      return translateReceipt(head, event.data.object);
    case "invoice.paid":
      return translateInvoice(head, event.data.object);
    case "charge.dispute.created":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
    case "charge.dispute.closed":
      return translateDispute(head, event.type, event.data.object);
    default:
      return null;
  }
}

type Head = Pick<PaymentEvent, "id" | "at">;

function kindOf(type: string, session: Stripe.Checkout.Session): PaymentReport["kind"] {
  if (type === "checkout.session.expired") return "expired";
  if (type === "checkout.session.async_payment_failed") return "failed";
  return session.payment_status === "unpaid" ? "processing" : "paid";
}

/**
 * Converts a checkout session to a payment event. The caller determines the kind from the Stripe event or from the
 * session's state.
 */
export function translateSession(
  head: Head,
  session: Stripe.Checkout.Session,
  kind: PaymentReport["kind"],
): PaymentEvent | null {
  const purchaseId = session.client_reference_id;
  // Other products may share the Stripe account; ignore their checkouts.
  if (purchaseId === null || !purchaseId.startsWith("pur_")) return null;
  const taxMinor = BigInt(session.total_details?.amount_tax ?? 0);
  return {
    ...head,
    kind,
    purchaseId,
    organizationId: session.metadata?.organization_id ?? null,
    sessionId: session.id,
    paymentId: idOf(session.payment_intent),
    amountMinor: BigInt(session.amount_total ?? 0) - taxMinor,
    taxMinor,
    currency: session.currency ?? "",
  };
}

function translateRefund(head: Head, charge: Stripe.Charge): PaymentEvent | null {
  const paymentId = idOf(charge.payment_intent);
  if (paymentId === null) return null;
  return {
    ...head,
    kind: "refunded",
    purchaseId: charge.metadata.purchase_id ?? null,
    paymentId,
    refundedMinor: BigInt(charge.amount_refunded),
    currency: charge.currency,
    // The event doesn't include the refund ID. The charge ID and the total refunded so far identify the same refund.
    refundId: `${charge.id}:${charge.amount_refunded}`,
  };
}

function translateReceipt(head: Head, charge: Stripe.Charge): PaymentEvent | null {
  const purchaseId = charge.metadata.purchase_id;
  if (purchaseId === undefined || charge.receipt_url === null) return null;
  const paymentId = idOf(charge.payment_intent);
  return { ...head, kind: "documented", purchaseId, paymentId, receiptUrl: charge.receipt_url, invoiceUrl: null };
}

function translateInvoice(head: Head, invoice: Stripe.Invoice): PaymentEvent | null {
  const purchaseId = invoice.metadata?.purchase_id;
  const invoiceUrl = invoice.hosted_invoice_url ?? null;
  if (purchaseId === undefined || invoiceUrl === null) return null;
  return { ...head, kind: "documented", purchaseId, paymentId: null, receiptUrl: null, invoiceUrl };
}

function translateDispute(head: Head, type: string, dispute: Stripe.Dispute): PaymentEvent | null {
  const paymentId = idOf(dispute.payment_intent);
  const kind = disputeKindOf(type, dispute.status);
  if (paymentId === null || kind === null) return null;
  const { id: disputeId, amount, currency } = dispute;
  return { ...head, kind, paymentId, disputeId, amountMinor: BigInt(amount), currency };
}

/** Returns the outcome of a dispute event; null for an inquiry (`warning_…`), which moves no money. */
function disputeKindOf(type: string, status: string): "disputed" | "dispute_won" | "dispute_lost" | null {
  if (type === "charge.dispute.funds_withdrawn") return "disputed";
  if (type === "charge.dispute.funds_reinstated") return "dispute_won";
  if (status.startsWith("warning_")) return null;
  if (type === "charge.dispute.created") return "disputed";
  return status === "won" ? "dispute_won" : status === "lost" ? "dispute_lost" : null;
}

const idOf = (named: string | { readonly id: string } | null): string | null =>
  typeof named === "string" ? named : (named?.id ?? null);
