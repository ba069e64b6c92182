import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { enqueueDelivery } from "../webhooks/deliveries.ts";

/** An event in the outbox. */
export interface OutboxEvent {
  readonly id: bigint;
  /** Null if the event is for the operator. */
  readonly organizationId: string | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Takes the oldest pending events and creates a delivery for each subscriber, in one transaction, so that a crash loses
 * no event. `tell` handles additional effects of an event in the same transaction. Returns the number of events taken.
 */
export async function spreadEvents(
  db: Database,
  {
    atMost,
    now,
    tell,
  }: {
    readonly atMost: number;
    readonly now: Date;
    readonly tell: (transaction: TenantTransaction, event: OutboxEvent) => Promise<void>;
  },
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const events = await transaction
      .selectFrom("outbox")
      .select(["id", "organization_id as organizationId", "type", "data"])
      .where("delivered_at", "is", null)
      .orderBy("id")
      .limit(atMost)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const event of events) {
      await addDeliveries(transaction, event, now);
      await tell(transaction, event);
    }
    const ids = events.map(({ id }) => id);
    if (ids.length > 0) {
      await transaction.updateTable("outbox").set({ delivered_at: now }).where("id", "in", ids).execute();
    }
    return events.length;
  });
}

async function addDeliveries(transaction: TenantTransaction, event: OutboxEvent, now: Date): Promise<void> {
  if (event.organizationId === null) return;
  const listeners = await transaction
    .selectFrom("webhooks")
    .select("id")
    .where("organization_id", "=", event.organizationId)
    .where("status", "=", "active")
    .where(({ eb, ref }) => eb(eb.val(event.type), "=", eb.fn.any(ref("events"))))
    .execute();
  for (const { id: webhookId } of listeners) {
    await transaction
      .insertInto("webhook_deliveries")
      .values({ webhook_id: webhookId, outbox_id: event.id, organization_id: event.organizationId, next_at: now })
      .execute();
    await enqueueDelivery(transaction, { webhookId, outboxId: String(event.id) });
  }
}
