import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";

/** A payment provider that can report the state of a payment. */
export interface PaymentSource {
  readonly name: "stripe" | "fake";
  /** Returns the outcome of a payment, or null while the payment is open. Throws if the provider does not respond. */
  fetchPayment(purchase: {
    readonly id: string;
    readonly providerSessionId: string;
    readonly createdAt: Date;
  }): Promise<PaymentEvent | null>;
}
