import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

interface StoredWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: "active" | "disabled";
  readonly disabledAt: Date | null;
  readonly lastDeliveredAt: Date | null;
  readonly createdBy: number;
  readonly createdAt: Date;
}

interface NewWebhook {
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly events: readonly string[];
  /** Encrypted signing secret. */
  readonly secret: string;
  readonly createdBy: number;
  readonly createdAt: Date;
}

const columns = [
  "id",
  "url",
  "events",
  "status",
  "disabled_at as disabledAt",
  "last_delivered_at as lastDeliveredAt",
  "created_by as createdBy",
  "created_at as createdAt",
] as const;

/** Adds a webhook unless the organization has reached its limit. Concurrent inserts are serialized. */
export async function insertWebhook(
  transaction: TenantTransaction,
  webhook: NewWebhook,
  limit: number,
): Promise<{ readonly kind: "added"; readonly webhook: StoredWebhook } | { readonly kind: "limit_reached" }> {
  const { organizationId } = webhook;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tollgate:webhooks:${organizationId}`}, 0))`.execute(
    transaction,
  );
  if ((await countWebhooks(transaction, organizationId)) >= limit) return { kind: "limit_reached" };
  const added = await transaction
    .insertInto("webhooks")
    .values({
      id: webhook.id,
      organization_id: organizationId,
      url: webhook.url,
      events: [...webhook.events],
      secret: webhook.secret,
      created_by: webhook.createdBy,
      created_at: webhook.createdAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
  return { kind: "added", webhook: added };
}

/** Lists one page of an organization's webhooks, newest first. */
export function listWebhooks(
  transaction: TenantTransaction,
  organizationId: string,
  { page, pageSize }: { readonly page: number; readonly pageSize: number },
): Promise<readonly StoredWebhook[]> {
  return transaction
    .selectFrom("webhooks")
    .select(columns)
    .where("organization_id", "=", organizationId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
}

/** Counts an organization's webhooks. */
export async function countWebhooks(transaction: TenantTransaction, organizationId: string): Promise<number> {
  const { count } = await transaction
    .selectFrom("webhooks")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes a webhook with its pending deliveries and returns the webhook, or null if it doesn't exist. */
export async function deleteWebhook(
  transaction: TenantTransaction,
  organizationId: string,
  id: string,
): Promise<StoredWebhook | null> {
  const removed = await transaction
    .deleteFrom("webhooks")
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returning(columns)
    .executeTakeFirst();
  return removed ?? null;
}
