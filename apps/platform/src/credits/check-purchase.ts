import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { Purchase as PurchaseSchema } from "@tollgate/contracts/management/purchase.ts";
import { applyPaymentEvent } from "@tollgate/db/credits/apply-payment-event.ts";
import { claimQuestion, findPurchase, type Purchase } from "@tollgate/db/credits/purchases.ts";
import { runInOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import Type from "typebox";
import { operation, write } from "../operation.ts";
import type { Services } from "../services.ts";
import type { BillingProvider } from "./billing-provider.ts";
import { checkBuyer } from "./check-buyer.ts";
import { toPurchase } from "./read-purchases.ts";
import { warnOfProblems } from "./take-payment.ts";

/** Minimum time between two provider queries for the same purchase. */
const PAUSE_MS = 2_000;

/** Queries the payment provider immediately, without waiting for its webhook or the next scheduled check. */
export const checkPurchase = operation({
  ...write,
  id: "checkPurchase",
  summary: "Check a purchase with the payment provider now",
  tag: "credits",
  path: "/api/credits/purchases/{id}/check",
  auth: "user",
  scope: "own",
  // Each payment result is applied only once, no matter how often the provider is queried.
  idempotency: "none",
  // One provider query takes at most eight seconds and is retried once.
  timeoutMs: 25_000,
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The updated purchase", schema: Type.Object({ purchase: PurchaseSchema }) } },
  handle: async ({ caller, params, origin }, services) => {
    const organization = checkBuyer(caller);
    const act = <Value>(work: (transaction: TenantTransaction) => Promise<Value>) =>
      runInOrganization(services.db, organization.id, work, caller.userId);
    const find = () => act((transaction) => findPurchase(transaction, organization.id, params.id));
    const purchase = await find();
    if (purchase === null) throw unknownObject("purchase");
    const { billing } = services;
    const { providerSessionId } = purchase;
    const isOpen = purchase.status === "pending" || purchase.status === "processing";
    if (!isOpen || providerSessionId === null || billing?.name !== purchase.provider) return answer(purchase);
    const now = services.now();
    const askedBefore = new Date(now.getTime() - PAUSE_MS);
    const isTurn = await act((transaction) =>
      claimQuestion(transaction, organization.id, purchase.id, { now, askedBefore }),
    );
    if (!isTurn) return answer((await find()) as Purchase);
    const event = await ask(billing, { ...purchase, providerSessionId }, services);
    if (event === null) return answer(purchase);
    const source = { provider: billing.name, requestId: origin.requestId };
    warnOfProblems(await applyPaymentEvent(services.db, event, source), services.logger);
    return answer((await find()) as Purchase);
  },
});

async function ask(
  billing: BillingProvider,
  purchase: Parameters<BillingProvider["fetchPayment"]>[0],
  { logger }: Services,
): Promise<PaymentEvent | null> {
  try {
    return await billing.fetchPayment(purchase);
  } catch (error) {
    logger.warn(`could not check purchase ${purchase.id} with the payment provider`, { error });
    throw new Failure("UNAVAILABLE", "The payment provider cannot be reached. The server retries automatically.", {
      retryAfterMs: 5_000,
      cause: error,
    });
  }
}

function answer(purchase: Purchase) {
  return { status: 200, body: { purchase: toPurchase(purchase) } };
}
