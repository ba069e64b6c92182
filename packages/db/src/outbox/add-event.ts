import type { TenantTransaction } from "../tenancy.ts";

/** Adds an outbox event in the transaction of the change. It is delivered at least once to all subscribers. */
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
