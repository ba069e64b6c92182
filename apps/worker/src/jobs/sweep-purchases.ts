import { applyPaymentEvent } from "@tollgate/db/credits/apply-payment-event.ts";
import { failUnopenedPurchases, takeUnresolvedPurchases } from "@tollgate/db/credits/unresolved-purchases.ts";
import type { JobContext } from "./job-context.ts";

const PENDING_LIMIT_MS = 15 * 60_000;
const UNOPENED_LIMIT_MS = 24 * 3_600_000;
const AT_A_TIME = 50;

/**
 * Queries the provider about purchases that have been open for 15 minutes, so that no credit is lost if a webhook is
 * lost. Returns the number of purchases that changed. A failed check does not delay the other checks.
 */
export async function sweepPurchases({
  db,
  payments,
  logger,
  now,
}: Pick<JobContext, "db" | "payments" | "logger" | "now">): Promise<number> {
  await failUnopenedPurchases(db, new Date(now().getTime() - UNOPENED_LIMIT_MS));
  if (payments === null) return 0;
  const before = new Date(now().getTime() - PENDING_LIMIT_MS);
  const waiting = await takeUnresolvedPurchases(db, {
    provider: payments.name,
    madeBefore: before,
    askedBefore: before,
    now: now(),
    limit: AT_A_TIME,
  });
  let moved = 0;
  for (const purchase of waiting) {
    try {
      const event = await payments.fetchPayment(purchase);
      if (event === null) continue;
      const outcome = await applyPaymentEvent(db, event, { provider: payments.name });
      if (outcome.kind === "applied") moved += 1;
      if (outcome.kind === "applied" && outcome.problems.length > 0) {
        logger.error(`purchase ${purchase.id} needs review: ${outcome.problems.join("; ")}`);
      }
    } catch (error) {
      logger.warn(`could not check purchase ${purchase.id} with the payment provider`, { error });
    }
  }
  return moved;
}
