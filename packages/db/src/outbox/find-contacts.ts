import type { TenantTransaction } from "../tenancy.ts";

interface BillingContact {
  readonly email: string;
  readonly organizationName: string;
}

/**
 * Returns the contact for an organization's credit: its billing email, or its owner. Returns null if neither exists.
 */
export async function readBillingContact(
  transaction: TenantTransaction,
  organizationId: string,
): Promise<BillingContact | null> {
  const found = await transaction
    .selectFrom("organizations as organization")
    .leftJoin("users as owner", (join) =>
      join.onRef("owner.id", "=", "organization.owner_id").on("owner.status", "=", "active"),
    )
    .select(["organization.name as organizationName", "organization.billing_email", "owner.email"])
    .where("organization.id", "=", organizationId)
    .where("organization.status", "=", "active")
    .executeTakeFirst();
  const email = found?.billing_email ?? found?.email ?? null;
  return found === undefined || email === null ? null : { email, organizationName: found.organizationName };
}

/** Lists the email addresses of the instance's administrators. */
export async function listAdministratorAddresses(transaction: TenantTransaction): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom("users")
    .select("email")
    .where("role", "=", "admin")
    .where("status", "=", "active")
    .orderBy("id")
    .execute();
  return rows.map(({ email }) => email);
}
