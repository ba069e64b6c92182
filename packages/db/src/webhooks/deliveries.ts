import { sql } from "kysely";
import { writeAudit } from "../audit/write-audit.ts";
import type { Database } from "../connect.ts";
import { enqueueJob } from "../jobs.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** A pending webhook delivery. */
export interface WaitingDelivery {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly url: string;
  /** Encrypted signing secret. */
  readonly secret: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly createdAt: Date;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

export interface DeliveryId {
  readonly webhookId: string;
  readonly outboxId: string;
}

/** Finds the delivery, unless it has succeeded or failed permanently, or its webhook was disabled or deleted. */
export async function findWaitingDelivery(
  db: Database,
  { webhookId, outboxId }: DeliveryId,
): Promise<WaitingDelivery | null> {
  const row = await db
    .selectFrom("webhook_deliveries as delivery")
    .innerJoin("webhooks as webhook", "webhook.id", "delivery.webhook_id")
    .innerJoin("outbox as event", "event.id", "delivery.outbox_id")
    .select(["webhook.organization_id", "webhook.url", "webhook.secret", "delivery.attempts"])
    .select(["event.event_id", "event.type", "event.created_at", "event.data"])
    .where("delivery.webhook_id", "=", webhookId)
    .where("delivery.outbox_id", "=", BigInt(outboxId))
    .where("delivery.delivered_at", "is", null)
    .where("delivery.given_up_at", "is", null)
    .where("webhook.status", "=", "active")
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    webhookId,
    organizationId: row.organization_id,
    url: row.url,
    secret: row.secret,
    attempts: row.attempts,
    event: { id: row.event_id, type: row.type, createdAt: row.created_at, data: row.data },
  };
}

/** Records a successful delivery. */
export async function recordDelivered(db: Database, id: DeliveryId, outcome: string, at: Date): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await changeDelivery(transaction, id, { last_outcome: outcome, delivered_at: at });
    await transaction.updateTable("webhooks").set({ last_delivered_at: at }).where("id", "=", id.webhookId).execute();
  });
}

/** Records a failed attempt and schedules the next one. */
export async function recordFailedTry(db: Database, id: DeliveryId, outcome: string, nextAt: Date): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await changeDelivery(transaction, id, { last_outcome: outcome, next_at: nextAt });
    await enqueueDelivery(transaction, id, nextAt);
  });
}

/**
 * Records the final failed attempt and disables the webhook, so that it receives no more events. `afterwards` runs in
 * the same transaction, but only if this call disabled the webhook.
 */
export async function giveUpOn(
  db: Database,
  id: DeliveryId & { readonly organizationId: string },
  outcome: string,
  at: Date,
  afterwards: (transaction: TenantTransaction) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await changeDelivery(transaction, id, { last_outcome: outcome, given_up_at: at });
    const disabled = await transaction
      .updateTable("webhooks")
      .set({ status: "disabled", disabled_at: at })
      .where("id", "=", id.webhookId)
      .where("status", "=", "active")
      .executeTakeFirst();
    if (disabled.numUpdatedRows === 0n) return;
    await afterwards(transaction);
    await writeAudit(transaction, {
      organizationId: id.organizationId,
      actor: { type: "system", id: null },
      action: "org.webhook_disabled",
      target: { type: "webhook", id: id.webhookId },
      before: { status: "active" },
      after: { status: "disabled", lastOutcome: outcome },
    });
  });
}

/** Enqueues a delivery. If it is already queued, the job is rescheduled, not duplicated. */
export function enqueueDelivery(transaction: TenantTransaction, id: DeliveryId, runAt?: Date): Promise<void> {
  const key = `deliver_webhook:${id.webhookId}:${id.outboxId}`;
  const payload = { webhookId: id.webhookId, outboxId: id.outboxId };
  return enqueueJob(transaction, "deliver_webhook", payload, { key, ...(runAt !== undefined && { runAt }) });
}

async function changeDelivery(
  transaction: TenantTransaction,
  { webhookId, outboxId }: DeliveryId,
  change: {
    readonly last_outcome: string;
    readonly next_at?: Date;
    readonly delivered_at?: Date;
    readonly given_up_at?: Date;
  },
): Promise<void> {
  await transaction
    .updateTable("webhook_deliveries")
    .set({ ...change, attempts: sql<number>`attempts + 1` })
    .where("webhook_id", "=", webhookId)
    .where("outbox_id", "=", BigInt(outboxId))
    .execute();
}
