import type { NanoUsd } from "@tollgate/domain/money.ts";

/** Whoever takes the money. */
export interface BillingProvider {
  readonly name: "stripe" | "fake";
  /** Opens a page on which the purchase can be paid. Asking again for the same purchase gives the same page. */
  createCheckout(purchase: CheckoutRequest): Promise<Checkout>;
  /** Reads an event whose signature over the raw bytes holds; null when it does not. */
  verifyWebhook(body: Buffer, headers: Readonly<Record<string, string | string[] | undefined>>): PaymentEvent | null;
  /** What has become of a payment that nobody told us of. */
  fetchPayment(purchase: { readonly id: string; readonly providerSessionId: string }): Promise<PaymentEvent | null>;
}

export interface CheckoutRequest {
  readonly purchaseId: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly email: string | null;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export interface Checkout {
  readonly sessionId: string;
  readonly url: string;
}

/** What happened to a payment, in words that are no provider's. */
export type PaymentEvent = {
  /** The provider's id of the event; told once, whatever is delivered how often. */
  readonly id: string;
  readonly at: Date;
} & (
  | {
      readonly kind: "paid" | "processing" | "failed" | "expired";
      readonly purchaseId: string;
      readonly sessionId: string;
      readonly paymentId: string | null;
      /** What was really paid, in the smallest unit of its currency. */
      readonly amountMinor: bigint;
      readonly currency: string;
      readonly receiptUrl: string | null;
      readonly invoiceUrl: string | null;
    }
  | {
      readonly kind: "refunded";
      readonly paymentId: string;
      /** All that was refunded so far. */
      readonly refundedMinor: bigint;
      readonly currency: string;
      readonly refundId: string;
    }
  | {
      readonly kind: "disputed" | "dispute_won" | "dispute_lost";
      readonly paymentId: string;
      readonly disputeId: string;
      readonly amountMinor: bigint;
      readonly currency: string;
    }
  | { readonly kind: "ignored" }
);
