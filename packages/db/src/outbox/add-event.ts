import type { TenantTransaction } from "../tenancy.ts";

/** Tells others of a change, in the transaction of the change itself. Delivered at least once, to whoever listens. */
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
