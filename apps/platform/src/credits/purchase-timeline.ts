import type { PurchaseStep } from "@tollgate/contracts/management/purchase.ts";
import type { Purchase, PurchaseEvent } from "@tollgate/db/credits/purchases.ts";

/** Fields from which the steps of a purchase are derived. */
type Reported = Pick<
  Purchase,
  | "status"
  | "createdAt"
  | "checkoutAt"
  | "providerSessionId"
  | "providerPaymentId"
  | "paidAt"
  | "transactionId"
  | "refunded"
  | "updatedAt"
  | "events"
>;

/** Returns the steps of a purchase in chronological order. Future steps have no time. */
export function timelineOf(purchase: Reported): readonly PurchaseStep[] {
  const { createdAt, checkoutAt, providerSessionId } = purchase;
  const steps: readonly PurchaseStep[] = [
    { state: "created", at: createdAt, reference: null },
    { state: "awaiting_payment", at: checkoutAt, reference: providerSessionId },
    ...endOf(purchase),
  ];
  let latest = createdAt;
  return steps.map((step) => {
    if (step.at === null) return step;
    // The provider's clock may differ and has a resolution of one second.
    if (step.at > latest) latest = step.at;
    return { ...step, at: latest };
  });
}

function endOf(purchase: Reported): readonly PurchaseStep[] {
  const { status, updatedAt, events, providerPaymentId, paidAt, transactionId } = purchase;
  if (status === "failed" || status === "expired") {
    return [{ state: status, at: latestOf(events, status) ?? updatedAt, reference: providerPaymentId }];
  }
  const reportedAt = latestOf(events, "paid");
  return [
    { state: "paid", at: earlier(reportedAt, paidAt), reference: providerPaymentId },
    { state: "credited", at: paidAt, reference: transactionId },
    ...refundOf(purchase),
  ];
}

function refundOf({ refunded, events, updatedAt }: Reported): readonly PurchaseStep[] {
  return refunded === 0n ? [] : [{ state: "refunded", at: latestOf(events, "refunded") ?? updatedAt, reference: null }];
}

function latestOf(events: readonly PurchaseEvent[], kind: PurchaseEvent["kind"]): Date | null {
  const times = events.filter((event) => event.kind === kind).map(({ at }) => at.getTime());
  return times.length === 0 ? null : new Date(Math.max(...times));
}

/** Returns the payment time as reported by the provider, but no later than the credit entry. */
function earlier(reported: Date | null, credited: Date | null): Date | null {
  if (reported === null || credited === null) return reported ?? credited;
  return reported < credited ? reported : credited;
}
