import type { TenantTransaction } from "../tenancy.ts";

/**
 * Adds an outbox event in the same transaction as the change. The event is delivered at least once to each subscriber.
 */
export async function addEvent(
  transaction: TenantTransaction,
  organizationId: string,
  type: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await transaction
    .insertInto("outbox")
    .values({ organization_id: organizationId, type, data: { ...data } })
    .execute();
}
