import type { PaymentEvent } from "@tollgate/domain/billing/payment-event.ts";
import { type PurchaseState, type PurchaseStatus, resolvePurchase } from "@tollgate/domain/billing/resolve-purchase.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import { writeAudit } from "../audit/write-audit.ts";
import type { Database } from "../connect.ts";
import { type NewEntry, postEntry } from "../ledger/post-entry.ts";
import { addEvent } from "../outbox/add-event.ts";
import { enterOrganization, type TenantTransaction } from "../tenancy.ts";
import { readFacts, writeFacts } from "./payment-facts.ts";

export type PaymentOutcome =
  /** The event was already processed, so nothing changed. */
  | { readonly kind: "known" }
  /** The purchase is not known yet. The event is stored until the purchase is known. */
  | { readonly kind: "waiting" }
  | {
      readonly kind: "applied";
      readonly purchaseId: string;
      readonly status: PurchaseStatus;
      /** Reasons why an operator must review the purchase. */
      readonly problems: readonly string[];
    };

interface PaymentSource {
  readonly provider: "stripe" | "fake";
  readonly requestId?: string;
}

/**
 * Stores a payment provider's event and applies the consequences of all stored events: credit, refunds, and blocked or
 * unblocked teams. Runs in one transaction, so that every stored event has been applied.
 */
export function applyPaymentEvent(db: Database, event: PaymentEvent, source: PaymentSource): Promise<PaymentOutcome> {
  return db.transaction().execute(async (transaction) => {
    const noted = await noteEvent(transaction, event, source.provider);
    if (noted.outcome !== "noted") return { kind: noted.outcome };
    // From here on, the transaction sees only the rows of the purchase's organization.
    await enterOrganization(transaction, noted.organizationId);
    return updatePurchase(transaction, noted.organizationId, noted.purchaseId, source);
  });
}

type Noted =
  | { readonly outcome: "known" | "waiting" }
  | { readonly outcome: "noted"; readonly purchaseId: string; readonly organizationId: string };

async function noteEvent(
  transaction: TenantTransaction,
  event: PaymentEvent,
  provider: PaymentSource["provider"],
): Promise<Noted> {
  const purchaseId = "purchaseId" in event ? event.purchaseId : null;
  const { rows } = await sql<Noted>`
    select outcome, purchase_id as "purchaseId", organization_id as "organizationId"
      from note_payment_event(
        ${provider}, ${event.id}, ${event.kind}, ${purchaseId}, ${event.paymentId}, ${writeFacts(event)}::jsonb)`.execute(
    transaction,
  );
  return rows[0] as Noted;
}

async function updatePurchase(
  transaction: TenantTransaction,
  organizationId: string,
  purchaseId: string,
  source: PaymentSource,
): Promise<PaymentOutcome> {
  const purchase = await readLockedPurchase(transaction, organizationId, purchaseId);
  const stored = await transaction
    .selectFrom("webhook_events")
    .select(["event_id as id", "kind", "facts", "is_foreign as isForeign"])
    .where("organization_id", "=", organizationId)
    .where("purchase_id", "=", purchaseId)
    .execute();
  const state = resolvePurchase(purchase, stored.map(readFacts));
  const credited = await postEntries(transaction, purchase, state);
  await storePurchaseState(transaction, purchase, state, credited);
  await reportChanges(transaction, purchase, state, source);
  return { kind: "applied", purchaseId, status: state.status, problems: state.problems };
}

type LockedPurchase = Awaited<ReturnType<typeof readLockedPurchase>>;

function readLockedPurchase(transaction: TenantTransaction, organizationId: string, purchaseId: string) {
  return transaction
    .selectFrom("purchases")
    .select([
      "id",
      "organization_id as organizationId",
      "amount",
      "provider",
      "status",
      "refunded",
      "paid_at as paidAt",
    ])
    .where("organization_id", "=", organizationId)
    .where("id", "=", purchaseId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Result of crediting a purchase. */
interface Credited {
  readonly transactionId: string;
  readonly shortfall: NanoUsd;
  readonly unblockedTeams: number;
}

/**
 * Posts the ledger entries that are still missing. Each idempotency key is posted only once, so repeated calls are
 * harmless. Returns null if the purchase was not credited by this call.
 */
async function postEntries(
  transaction: TenantTransaction,
  purchase: LockedPurchase,
  state: PurchaseState,
): Promise<Credited | null> {
  if (!state.isPaid) return null;
  const common = {
    organizationId: purchase.organizationId,
    provider: purchase.provider,
    reference: purchase.id,
    actor: "system",
  };
  const post = (entry: Pick<NewEntry, "kind" | "amount" | "idempotencyKey" | "description">) =>
    postEntry(transaction, { ...common, ...entry });
  let credited: Credited | null = null;
  if (purchase.paidAt === null) {
    const posted = await post({
      kind: "purchase",
      amount: purchase.amount,
      idempotencyKey: `purchase:${purchase.id}`,
      description: "Credits bought",
    });
    if (posted.kind === "key_reused") throw new Error(`another entry already uses the key of purchase ${purchase.id}`);
    const { transactionId, shortfall, unblockedTeams } = posted;
    credited = { transactionId, shortfall, unblockedTeams: unblockedTeams.length };
  }
  if (state.refunded > purchase.refunded) {
    const posted = await post({
      kind: "refund",
      amount: state.refunded - purchase.refunded,
      idempotencyKey: `refund:${state.refundId}`,
      description: "Purchase refunded",
    });
    if (posted.kind === "key_reused") throw new Error(`another entry already uses the key of refund ${state.refundId}`);
  }
  for (const { id, amount, isWon } of state.disputes) {
    await post({ kind: "dispute", amount, idempotencyKey: `dispute:${id}`, description: "Payment disputed" });
    if (!isWon) continue;
    await post({ kind: "dispute_won", amount, idempotencyKey: `dispute_won:${id}`, description: "Dispute won" });
  }
  return credited;
}

async function storePurchaseState(
  transaction: TenantTransaction,
  purchase: LockedPurchase,
  state: PurchaseState,
  credited: Credited | null,
): Promise<void> {
  await transaction
    .updateTable("purchases")
    .set({
      status: state.status,
      tax: state.tax,
      provider_payment_id: state.paymentId,
      receipt_url: state.receiptUrl,
      invoice_url: state.invoiceUrl,
      updated_at: sql`now()`,
      ...(credited !== null && {
        shortfall: credited.shortfall,
        transaction_id: credited.transactionId,
        unblocked_teams: credited.unblockedTeams,
      }),
      ...(state.isPaid && { refunded: state.refunded, paid_at: purchase.paidAt ?? sql`now()` }),
    })
    .where("organization_id", "=", purchase.organizationId)
    .where("id", "=", purchase.id)
    .execute();
}

async function reportChanges(
  transaction: TenantTransaction,
  purchase: LockedPurchase,
  state: PurchaseState,
  source: PaymentSource,
): Promise<void> {
  const { id, organizationId, amount } = purchase;
  const emit = (type: string, facts: Readonly<Record<string, unknown>> = {}) =>
    addEvent(transaction, organizationId, type, { purchaseId: id, amount: amount.toString(), ...facts });
  const { status, problems, isPaid, refunded } = state;
  if (isPaid && purchase.paidAt === null) await emit("purchase.paid");
  if (isPaid && refunded > purchase.refunded) await emit("purchase.refunded", { refunded: refunded.toString() });
  const isChanged = status !== purchase.status;
  if (isChanged && status === "failed") await emit("purchase.failed");
  if (isChanged && status === "review") await emit("purchase.review", { problems });
  const isRefunded = isPaid && refunded > purchase.refunded;
  if (!isChanged && !isRefunded) return;
  await writeAudit(transaction, {
    organizationId,
    actor: {
      type: "system",
      id: `billing:${source.provider}`,
      ...(source.requestId !== undefined && { requestId: source.requestId }),
    },
    // A partial refund changes the amount and not the status.
    action: isChanged ? `purchase.${status}` : "purchase.refunded",
    target: { type: "purchase", id },
    before: { status: purchase.status, ...(isRefunded && { refunded: purchase.refunded }) },
    after: { status, ...(isRefunded && { refunded }), ...(problems.length > 0 && { problems }) },
  });
}
