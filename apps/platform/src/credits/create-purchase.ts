import { createHash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { toUsdText } from "@tollgate/contracts/management/money.ts";
import { NewPurchaseBody, OpenedPurchase } from "@tollgate/contracts/management/purchase.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { failCheckout, openPurchase, type Purchase, storeCheckout } from "@tollgate/db/credits/purchases.ts";
import { runInOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { NANO_PER_CENT } from "@tollgate/domain/money.ts";
import type { Static } from "typebox";
import { actorOf } from "../audit-actor.ts";
import { chooseBaseUrl } from "../choose-base-url.ts";
import { type Answer, operation, type SignedInInput, write } from "../operation.ts";
import type { Services } from "../services.ts";
import type { BillingProvider } from "./billing-provider.ts";
import { checkBuyer } from "./check-buyer.ts";
import { toPurchase } from "./read-purchases.ts";
import { checkReturnUrl } from "./return-urls.ts";

type Input = SignedInInput<Record<string, never>, Record<string, never>, Static<typeof NewPurchaseBody>>;

/**
 * Creates a purchase. The purchase is stored under the caller's idempotency key before the provider is called, and its
 * ID is the provider's idempotency key. A retry after a crash therefore continues where the first request stopped.
 */
export const createPurchase = operation({
  ...write,
  id: "createPurchase",
  summary: "Buy credits; returns the URL of a checkout page",
  tag: "credits",
  path: "/api/credits/purchases",
  auth: "user",
  scope: "own",
  idempotency: "required",
  // The handler makes at most two provider requests, each of which takes at most eight seconds.
  timeoutMs: 25_000,
  body: NewPurchaseBody,
  answers: { 201: { description: "The purchase; pay at `checkoutUrl`", schema: OpenedPurchase } },
  handle: async (input, services) => {
    const organization = checkBuyer(input.caller);
    const { billing } = services;
    if (billing === null) {
      throw new Failure("UNAVAILABLE", "This server does not sell credits. Ask its operator for credit.");
    }
    checkAmount(input.body.amount, services);
    const act = <Value>(work: (transaction: TenantTransaction) => Promise<Value>) =>
      runInOrganization(services.db, organization.id, work, input.caller.userId);
    const urls = readUrls(input, services);
    const opened = await act((transaction) => open(transaction, input, organization.id, billing, services));
    if (opened.checkoutUrl !== null) return answer(opened, { "idempotent-replayed": "true" });
    const checkout = await billing.createCheckout({
      purchaseId: opened.id,
      organizationId: organization.id,
      amount: opened.amount,
      email: input.caller.email,
      baseUrl: urls.baseUrl,
      // This page shows the status of the purchase.
      successUrl: urls.successUrl ?? `${urls.baseUrl}/ui/credits?order=${opened.id}`,
      cancelUrl: urls.cancelUrl ?? `${urls.baseUrl}/ui/credits?order=${opened.id}`,
    });
    if (checkout.kind === "open") {
      return answer(await act((transaction) => storeCheckout(transaction, organization.id, opened.id, checkout)));
    }
    if (checkout.kind === "busy") {
      throw new Failure(
        "IDEMPOTENCY_IN_PROGRESS",
        "The first request with this Idempotency-Key is still in progress.",
        {
          retryAfterMs: 1_000,
        },
      );
    }
    await act((transaction) => giveUp(transaction, input, organization.id, opened.id));
    services.logger.error("the payment provider did not open a checkout", {
      error: checkout.cause,
      callId: input.origin.requestId,
    });
    throw refuseCheckout(checkout.kind);
  },
});

async function open(
  transaction: TenantTransaction,
  input: Input,
  organizationId: string,
  billing: BillingProvider,
  services: Services,
): Promise<Purchase> {
  const now = services.now();
  const opened = await openPurchase(transaction, {
    id: makePrefixedId("pur", now.getTime()),
    organizationId,
    userId: input.caller.userId,
    idempotencyKey: String(input.headers["idempotency-key"]),
    bodyDigest: createHash("sha256").update(input.rawBody).digest(),
    provider: billing.name,
    amount: input.body.amount,
    now,
  });
  if (opened.kind === "other_body") {
    throw new Failure("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was already used for a different request.");
  }
  const { purchase, isNew } = opened;
  if (isNew) {
    await writeAudit(transaction, {
      organizationId,
      actor: actorOf(input),
      action: "purchase.created",
      target: { type: "purchase", id: purchase.id },
      after: { amount: purchase.amount, provider: purchase.provider },
    });
  }
  return purchase;
}

async function giveUp(
  transaction: TenantTransaction,
  input: Input,
  organizationId: string,
  purchaseId: string,
): Promise<void> {
  if (!(await failCheckout(transaction, organizationId, purchaseId))) return;
  await writeAudit(transaction, {
    organizationId,
    actor: actorOf(input),
    action: "purchase.failed",
    target: { type: "purchase", id: purchaseId },
    after: { status: "failed" },
  });
}

function checkAmount(amount: bigint, services: Services): void {
  const { minPurchaseNanoUsd: least, maxPurchaseNanoUsd: most } = services.settings().billing;
  if (amount < least || amount > most) {
    throw invalidField("amount", `must be between ${toUsdText(least)} and ${toUsdText(most)} USD, in nano-USD`);
  }
  if (amount % NANO_PER_CENT !== 0n) throw invalidField("amount", `must be a multiple of ${NANO_PER_CENT} (one cent)`);
}

function readUrls({ body, headers }: Input, services: Services) {
  const settings = services.settings();
  const baseUrl = chooseBaseUrl(settings, headers.host);
  const check = (field: "successUrl" | "cancelUrl") => {
    const url = body[field];
    return url === undefined ? null : checkReturnUrl(field, url, baseUrl, settings);
  };
  return { baseUrl, successUrl: check("successUrl"), cancelUrl: check("cancelUrl") };
}

function answer(purchase: Purchase, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 201, headers, body: { purchase: toPurchase(purchase), checkoutUrl: purchase.checkoutUrl } };
}

function refuseCheckout(kind: "refused" | "unreachable"): Failure {
  if (kind === "refused") {
    return new Failure("UPSTREAM_FAILED", "The payment provider rejected the request. You were not charged.");
  }
  return new Failure("UNAVAILABLE", "The payment provider cannot be reached. Retry with the same Idempotency-Key.", {
    retryAfterMs: 5_000,
  });
}
