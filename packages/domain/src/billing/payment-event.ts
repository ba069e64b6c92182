/** A payment event in provider-neutral form. */
export type PaymentEvent = {
  /** The provider's event ID, the same for repeated deliveries. */
  readonly id: string;
  readonly at: Date;
} & (PaymentReport | RefundReport | DisputeReport | DocumentReport);

/** The outcome of a checkout page. */
export interface PaymentReport {
  readonly kind: "paid" | "processing" | "failed" | "expired";
  readonly purchaseId: string;
  readonly organizationId: string | null;
  readonly sessionId: string;
  readonly paymentId: string | null;
  /** Amount without tax, in the smallest currency unit. */
  readonly amountMinor: bigint;
  readonly taxMinor: bigint;
  /** Three-letter currency code in lowercase. */
  readonly currency: string;
}

interface RefundReport {
  readonly kind: "refunded";
  /** Null if the provider doesn't send it. The payment then identifies the purchase. */
  readonly purchaseId: string | null;
  readonly paymentId: string;
  /** Total amount refunded so far. */
  readonly refundedMinor: bigint;
  readonly currency: string;
  /** Changes whenever `refundedMinor` changes. */
  readonly refundId: string;
}

export interface DisputeReport {
  readonly kind: "disputed" | "dispute_won" | "dispute_lost";
  readonly paymentId: string;
  readonly disputeId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
}

/** The receipt or invoice of a purchase. */
interface DocumentReport {
  readonly kind: "documented";
  readonly purchaseId: string;
  readonly paymentId: string | null;
  readonly receiptUrl: string | null;
  readonly invoiceUrl: string | null;
}
