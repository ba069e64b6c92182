/** What happened to a payment, in words that are no provider's. */
export type PaymentEvent = {
  /** The provider's id of the event; told once, whatever is delivered how often. */
  readonly id: string;
  readonly at: Date;
} & (PaymentReport | RefundReport | DisputeReport | DocumentReport);

/** What became of a page on which a purchase could be paid. */
export interface PaymentReport {
  readonly kind: "paid" | "processing" | "failed" | "expired";
  readonly purchaseId: string;
  readonly organizationId: string | null;
  readonly sessionId: string;
  readonly paymentId: string | null;
  /** What is paid without tax, in the smallest unit of its currency. */
  readonly amountMinor: bigint;
  readonly taxMinor: bigint;
  /** Three lower-case letters. */
  readonly currency: string;
}

export interface RefundReport {
  readonly kind: "refunded";
  /** Null when the provider does not say; the payment leads to it. */
  readonly purchaseId: string | null;
  readonly paymentId: string;
  /** All that was refunded so far. */
  readonly refundedMinor: bigint;
  readonly currency: string;
  /** Another one whenever `refundedMinor` is another. */
  readonly refundId: string;
}

export interface DisputeReport {
  readonly kind: "disputed" | "dispute_won" | "dispute_lost";
  readonly paymentId: string;
  readonly disputeId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** Where the payer finds what they have paid. */
export interface DocumentReport {
  readonly kind: "documented";
  readonly purchaseId: string;
  readonly paymentId: string | null;
  readonly receiptUrl: string | null;
  readonly invoiceUrl: string | null;
}
