import type { SimulatedOutcome } from "@tollgate/contracts/management/purchase.ts";
import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";

/** Minimum length of a webhook secret. Shorter secrets could be guessed and are ignored. */
export const WEBHOOK_SECRET_MIN_LENGTH = 32;

/** A payment provider. */
export interface BillingProvider {
  readonly name: "stripe" | "fake";
  /** Opens a checkout page for the purchase. Repeated requests for the same purchase return the same page. */
  createCheckout(purchase: CheckoutRequest): Promise<CheckoutOutcome>;
  /** Reads an event if its signature over the raw bytes is valid. */
  verifyWebhook(body: Buffer, headers: Readonly<Record<string, string | string[] | undefined>>): WebhookReading;
  /** Queries the state of a payment. Returns null while the payment is open. Throws if the provider is unavailable. */
  fetchPayment(purchase: OpenPayment): Promise<PaymentEvent | null>;
  /** Simulates the payer; null if payments are real. */
  readonly simulator: PaymentSimulator | null;
}

export interface CheckoutRequest {
  readonly purchaseId: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly email: string | null;
  /** Public base URL of this instance. */
  readonly baseUrl: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export type CheckoutOutcome =
  | { readonly kind: "open"; readonly sessionId: string; readonly url: string }
  /** The provider rejected the request, could not be reached, or is already processing it. */
  | { readonly kind: "refused" | "unreachable" | "busy"; readonly cause: unknown };

export type WebhookReading =
  | { readonly kind: "event"; readonly event: PaymentEvent }
  /** The event is authentic but not relevant. */
  | { readonly kind: "ignored" }
  | { readonly kind: "forged" };

interface OpenPayment {
  readonly id: string;
  readonly providerSessionId: string;
  readonly createdAt: Date;
}

interface PaymentSimulator {
  /** Creates the signed delivery that a provider would send for this outcome. */
  deliver(purchase: SimulatedPurchase, outcome: SimulatedOutcome): SignedDelivery;
}

export interface SimulatedPurchase {
  readonly id: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly providerSessionId: string;
}

interface SignedDelivery {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}
