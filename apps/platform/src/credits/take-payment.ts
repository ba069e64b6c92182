import { Failure } from "@tollgate/contracts/failures.ts";
import { applyPaymentEvent, type PaymentOutcome } from "@tollgate/db/credits/apply-payment-event.ts";
import type { Origin } from "../caller.ts";
import type { Services } from "../services.ts";
import type { BillingProvider } from "./billing-provider.ts";

/** Applies a delivery from the payment provider, if it is authentic, in one transaction and at most once. */
export async function takePayment(
  billing: BillingProvider,
  delivery: { readonly body: Buffer; readonly headers: Readonly<Record<string, string | string[] | undefined>> },
  origin: Origin,
  services: Services,
): Promise<PaymentOutcome | { readonly kind: "ignored" }> {
  const reading = billing.verifyWebhook(delivery.body, delivery.headers);
  if (reading.kind === "forged") {
    throw new Failure("BAD_SIGNATURE", "The signature does not match the body or has expired.");
  }
  if (reading.kind === "ignored") return reading;
  const source = { provider: billing.name, requestId: origin.requestId };
  const outcome = await applyPaymentEvent(services.db, reading.event, source);
  warnOfProblems(outcome, services.logger);
  if (outcome.kind === "waiting") {
    services.logger.warn(`payment event (${reading.event.kind}) is waiting for its purchase`);
  }
  return outcome;
}

/** Logs an error for a purchase that needs manual review. */
export function warnOfProblems(outcome: PaymentOutcome, logger: Services["logger"]): void {
  if (outcome.kind !== "applied" || outcome.problems.length === 0) return;
  logger.error(`purchase ${outcome.purchaseId} needs review: ${outcome.problems.join("; ")}`);
}
