import type { SimulatedOutcome } from "@tollgate/contracts/management/purchase.ts";
import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";

/** A shorter secret of webhooks could be guessed, and an empty one needs no guessing: such are not used. */
export const WEBHOOK_SECRET_MIN_LENGTH = 32;

/** Whoever takes the money. */
export interface BillingProvider {
  readonly name: "stripe" | "fake";
  /** Opens a page on which the purchase can be paid. Asking again for the same purchase gives the same page. */
  createCheckout(purchase: CheckoutRequest): Promise<CheckoutOutcome>;
  /** Reads an event whose signature over the raw bytes holds. */
  verifyWebhook(body: Buffer, headers: Readonly<Record<string, string | string[] | undefined>>): WebhookReading;
  /** What has become of a payment that nobody told us of; null while it is open. Throws when the provider is away. */
  fetchPayment(purchase: OpenPayment): Promise<PaymentEvent | null>;
  /** Plays the payer, where there is none. */
  readonly simulator: PaymentSimulator | null;
}

export interface CheckoutRequest {
  readonly purchaseId: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly email: string | null;
  /** Where people reach this installation. */
  readonly baseUrl: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export type CheckoutOutcome =
  | { readonly kind: "open"; readonly sessionId: string; readonly url: string }
  /** The provider refused, could not be reached, or is at the same request already. */
  | { readonly kind: "refused" | "unreachable" | "busy"; readonly cause: unknown };

export type WebhookReading =
  | { readonly kind: "event"; readonly event: PaymentEvent }
  /** Genuine, and of no concern to us. */
  | { readonly kind: "ignored" }
  | { readonly kind: "forged" };

export interface OpenPayment {
  readonly id: string;
  readonly providerSessionId: string;
  readonly createdAt: Date;
}

export interface PaymentSimulator {
  /** A signed delivery, such as a provider would send once this had happened to the purchase. */
  deliver(purchase: SimulatedPurchase, outcome: SimulatedOutcome): SignedDelivery;
}

export interface SimulatedPurchase {
  readonly id: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly providerSessionId: string;
}

export interface SignedDelivery {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}
