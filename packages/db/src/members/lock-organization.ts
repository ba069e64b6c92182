import type { TenantTransaction } from "../tenancy.ts";

/**
 * Serializes changes to an organization's members, roles, and invitations. If the quota row is also needed, lock it
 * first. Lock everything else afterward. Foreign-key checks on the organization don't wait for this lock, so settlement
 * is never blocked by user actions.
 */
export async function lockOrganization(transaction: TenantTransaction, organizationId: string): Promise<void> {
  await transaction
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}
