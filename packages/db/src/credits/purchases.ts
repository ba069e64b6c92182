import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import type { PurchaseStatus } from "@tollgate/domain/billing/resolve-purchase.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A purchase as shown to users. */
export interface Purchase {
  readonly id: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly fee: NanoUsd;
  readonly tax: NanoUsd;
  readonly refunded: NanoUsd;
  /**
   * Amount that was needed to reach a zero balance when the purchase was paid or, before payment, when it was created.
   */
  readonly shortfall: NanoUsd;
  readonly currency: string;
  readonly provider: "stripe" | "fake" | "manual";
  readonly status: PurchaseStatus;
  readonly providerSessionId: string | null;
  readonly providerPaymentId: string | null;
  readonly checkoutUrl: string | null;
  readonly receiptUrl: string | null;
  readonly invoiceUrl: string | null;
  readonly createdBy: { readonly id: number; readonly name: string | null };
  readonly createdAt: Date;
  readonly paidAt: Date | null;
  readonly updatedAt: Date;
  /** When the checkout page was opened. */
  readonly checkoutAt: Date | null;
  /** Ledger entry that credited the purchase. */
  readonly transactionId: string | null;
  readonly unblockedTeams: number;
  /** Events from the payment provider, with timestamps from the provider's clock. */
  readonly events: readonly PurchaseEvent[];
}

export interface PurchaseEvent {
  readonly kind: PaymentEvent["kind"];
  readonly at: Date;
}

interface NewPurchase {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: number;
  readonly idempotencyKey: string;
  readonly bodyDigest: Buffer;
  readonly provider: "stripe" | "fake";
  readonly amount: NanoUsd;
  readonly now: Date;
}

type OpenedPurchase =
  /** `isNew` is false if this is a replayed request. */
  | { readonly kind: "opened"; readonly purchase: Purchase; readonly isNew: boolean }
  /** The idempotency key was already used with a different request. */
  | { readonly kind: "other_body" };

/** Inserts the purchase, or finds the purchase that the same request created earlier. */
export async function openPurchase(transaction: TenantTransaction, wanted: NewPurchase): Promise<OpenedPurchase> {
  const { organizationId } = wanted;
  const inserted = await transaction
    .insertInto("purchases")
    .values({
      id: wanted.id,
      organization_id: organizationId,
      created_by: wanted.userId,
      idempotency_key: wanted.idempotencyKey,
      body_digest: wanted.bodyDigest,
      provider: wanted.provider,
      amount: wanted.amount,
      shortfall: sql`greatest(0, (select -balance from organization_quota where organization_id = ${organizationId})
        - ${wanted.amount}::bigint)`,
      created_at: wanted.now,
    })
    .onConflict((conflict) => conflict.columns(["created_by", "idempotency_key"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  // Rows of other organizations aren't visible here. If another organization used the key, that was a different
  // request.
  const known = await transaction
    .selectFrom("purchases")
    .select(["id", "body_digest as bodyDigest"])
    .where("organization_id", "=", organizationId)
    .where("created_by", "=", wanted.userId)
    .where("idempotency_key", "=", wanted.idempotencyKey)
    .executeTakeFirst();
  if (known === undefined || !known.bodyDigest.equals(wanted.bodyDigest)) return { kind: "other_body" };
  const purchase = await findPurchase(transaction, organizationId, known.id);
  return { kind: "opened", purchase: purchase as Purchase, isNew: inserted !== undefined };
}

/** Stores the checkout page unless the purchase already has one, and returns the purchase with its page. */
export async function storeCheckout(
  transaction: TenantTransaction,
  organizationId: string,
  purchaseId: string,
  checkout: { readonly sessionId: string; readonly url: string },
): Promise<Purchase> {
  await transaction
    .updateTable("purchases")
    .set({
      provider_session_id: checkout.sessionId,
      checkout_url: checkout.url,
      checkout_at: sql`now()`,
      // Reset an earlier failure, but keep a status that a payment event has set since.
      status: sql`case when status = 'failed' then 'pending' else status end`,
      updated_at: sql`now()`,
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", purchaseId)
    .where("provider_session_id", "is", null)
    .execute();
  return (await findPurchase(transaction, organizationId, purchaseId)) as Purchase;
}

/**
 * Records that no checkout page could be opened. The same request can retry. Returns false if a page was opened in the
 * meantime.
 */
export async function failCheckout(
  transaction: TenantTransaction,
  organizationId: string,
  purchaseId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("purchases")
    .set({ status: "failed", updated_at: sql`now()` })
    .where("organization_id", "=", organizationId)
    .where("id", "=", purchaseId)
    .where("provider_session_id", "is", null)
    .where("status", "=", "pending")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the purchase, or null if the organization has no purchase with this ID. */
export async function findPurchase(
  transaction: TenantTransaction,
  organizationId: string,
  purchaseId: string,
): Promise<Purchase | null> {
  const row = await selectPurchases(transaction, organizationId)
    .where("purchases.id", "=", purchaseId)
    .executeTakeFirst();
  return row === undefined ? null : toPurchase(row);
}

/** Reports whether the payment provider can be queried about the purchase now and, if so, records the query. */
export async function claimQuestion(
  transaction: TenantTransaction,
  organizationId: string,
  purchaseId: string,
  { now, askedBefore }: { readonly now: Date; readonly askedBefore: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("purchases")
    .set({ asked_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", purchaseId)
    .where((column) => column.or([column("asked_at", "is", null), column("asked_at", "<", askedBefore)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface PurchaseFilter {
  readonly statuses: readonly PurchaseStatus[];
  readonly from: Date | null;
  readonly until: Date | null;
  readonly page: number;
  readonly pageSize: number;
}

/** Lists the organization's purchases, newest first. */
export async function listPurchases(
  transaction: TenantTransaction,
  organizationId: string,
  filter: PurchaseFilter,
): Promise<{ readonly purchases: readonly Purchase[]; readonly total: number }> {
  const { statuses, from, until, page, pageSize } = filter;
  let query = selectPurchases(transaction, organizationId);
  if (statuses.length > 0) query = query.where("purchases.status", "in", statuses);
  if (from !== null) query = query.where("purchases.created_at", ">=", from);
  if (until !== null) query = query.where("purchases.created_at", "<", until);
  const { total } = await query
    .clearSelect()
    .select(({ fn }) => fn.countAll<bigint>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await query
    .orderBy("purchases.created_at", "desc")
    .orderBy("purchases.id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { purchases: rows.map(toPurchase), total: Number(total) };
}

function selectPurchases(transaction: TenantTransaction, organizationId: string) {
  return (
    transaction
      .selectFrom("purchases")
      // The name is null if the buyer is no longer visible.
      .leftJoin("users", "users.id", "purchases.created_by")
      .select([
        "purchases.id",
        "purchases.organization_id as organizationId",
        "amount",
        "fee",
        "tax",
        "refunded",
        "shortfall",
        "currency",
        "provider",
        "purchases.status",
        "provider_session_id as providerSessionId",
        "provider_payment_id as providerPaymentId",
        "checkout_url as checkoutUrl",
        "receipt_url as receiptUrl",
        "invoice_url as invoiceUrl",
        "purchases.created_by as createdById",
        "users.name as createdByName",
        "purchases.created_at as createdAt",
        "paid_at as paidAt",
        "purchases.updated_at as updatedAt",
        "checkout_at as checkoutAt",
        "transaction_id as transactionId",
        "unblocked_teams as unblockedTeams",
        sql<readonly { readonly kind: PaymentEvent["kind"]; readonly at: string }[]>`(
          select coalesce(json_agg(json_build_object('kind', event.kind, 'at', event.facts->>'at')), '[]')
            from webhook_events event
           where event.organization_id = purchases.organization_id and event.purchase_id = purchases.id
             and not event.is_foreign)`.as("events"),
      ])
      .where("purchases.organization_id", "=", organizationId)
  );
}

type PurchaseRow = Awaited<ReturnType<ReturnType<typeof selectPurchases>["execute"]>>[number];

function toPurchase({ createdById, createdByName, events, ...row }: PurchaseRow): Purchase {
  return {
    ...row,
    createdBy: { id: createdById, name: createdByName },
    events: events.map(({ kind, at }) => ({ kind, at: new Date(at) })),
  };
}
