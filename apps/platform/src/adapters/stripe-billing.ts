import type { Agent } from "node:http";
import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import { NANO_PER_CENT } from "@tollgate/domain/money.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { Stripe } from "stripe";
import type { BillingProvider, CheckoutOutcome, CheckoutRequest } from "../credits/billing-provider.ts";
import { readWebhook, translateSession, type WebhookOptions } from "./stripe-events.ts";

export interface StripeOptions extends WebhookOptions {
  readonly secretKey: Secret;
  /** Replaces Stripe's API base URL, for a mock server. */
  readonly apiBase: string | null;
  /** HTTP agent, such as one for a proxy; omitted for direct connections. */
  readonly agent?: Agent;
}

const TIMEOUT_MS = 8_000;
const RETRIES = 1;
const PRODUCT_NAME = "Credits";

/** Accepts payments through Stripe Checkout. */
export function createStripeBilling(options: StripeOptions): BillingProvider {
  const stripe = new Stripe(options.secretKey.reveal(), {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(options.agent && { httpAgent: options.agent }),
    ...(options.apiBase !== null && readBase(options.apiBase)),
  });
  return {
    name: "stripe",
    createCheckout: (request) => createCheckout(stripe, request),
    verifyWebhook: (body, headers) => readWebhook(body, headers["stripe-signature"], options),
    fetchPayment: async ({ providerSessionId }) =>
      readSession(await stripe.checkout.sessions.retrieve(providerSessionId), options.now()),
    simulator: null,
  };
}

async function createCheckout(stripe: Stripe, request: CheckoutRequest): Promise<CheckoutOutcome> {
  const metadata = { purchase_id: request.purchaseId, organization_id: request.organizationId };
  try {
    const session = await stripe.checkout.sessions.create(
      {
        mode: "payment",
        client_reference_id: request.purchaseId,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: "usd",
              unit_amount: Number(request.amount / NANO_PER_CENT),
              product_data: { name: PRODUCT_NAME },
            },
          },
        ],
        metadata,
        // Also set the metadata on the payment, so that the purchase is found even if a refund event arrives first.
        payment_intent_data: { metadata },
        invoice_creation: { enabled: true, invoice_data: { metadata } },
        success_url: request.successUrl,
        cancel_url: request.cancelUrl,
        ...(request.email !== null && { customer_email: request.email }),
      },
      { idempotencyKey: request.purchaseId },
    );
    if (session.url === null) return { kind: "refused", cause: new Error("the checkout session has no URL") };
    return { kind: "open", sessionId: session.id, url: session.url };
  } catch (cause) {
    return { kind: judgeError(cause), cause };
  }
}

function judgeError(error: unknown): "refused" | "unreachable" | "busy" {
  const { StripeConnectionError, StripeIdempotencyError, StripeRateLimitError, StripeError } = Stripe.errors;
  if (error instanceof StripeConnectionError || error instanceof StripeRateLimitError) return "unreachable";
  if (error instanceof StripeError && error.statusCode === 409) return "busy";
  if (error instanceof StripeIdempotencyError || error instanceof StripeError) return "refused";
  throw error;
}

/**
 * Converts a session's state to the event that Stripe should have delivered. The event ID is derived from the session
 * and its state, so that repeated events have no effect.
 */
function readSession(session: Stripe.Checkout.Session, now: Date): PaymentEvent | null {
  const kind = stateOf(session);
  return kind === null ? null : translateSession({ id: `asked:${session.id}:${kind}`, at: now }, session, kind);
}

function stateOf({ status, payment_status }: Stripe.Checkout.Session): "paid" | "processing" | "expired" | null {
  if (status === "expired") return "expired";
  if (status !== "complete") return null;
  return payment_status === "unpaid" ? "processing" : "paid";
}

function readBase(base: string): { host: string; port: string; protocol: "http" | "https" } {
  const { hostname, port, protocol } = new URL(base);
  const isPlain = protocol === "http:";
  return { host: hostname, port: port || (isPlain ? "80" : "443"), protocol: isPlain ? "http" : "https" };
}
