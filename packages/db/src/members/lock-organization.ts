import type { TenantTransaction } from "../tenancy.ts";

/**
 * Makes changes of members, roles and invitations of an organization wait for each other. Taken after the quota row,
 * where both are needed, and before anything else. It leaves room for rows that merely refer to the organization, so
 * settlement never waits for people.
 */
export async function lockOrganization(transaction: TenantTransaction, organizationId: string): Promise<void> {
  await transaction
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}
