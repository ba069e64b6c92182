import { isDuplicate } from "../database-errors.ts";
import { enterOrganization, type TenantTransaction } from "../tenancy.ts";

type CreateOrganizationOutcome = "created" | "limit_reached" | "name_taken";

/**
 * Adds an organization with its first owner, and scopes the transaction to it. Refuses if the user owns too many
 * organizations. If the owner already has an organization with this name, the transaction must be rolled back.
 */
export async function createOrganization(
  transaction: TenantTransaction,
  organization: { readonly id: string; readonly name: string; readonly ownerId: number },
  limits: { readonly organizationsPerOwner: number },
  now: Date,
): Promise<CreateOrganizationOutcome> {
  const { id, name, ownerId } = organization;
  // Serialize requests from one user, so that two concurrent requests can't count the same organizations.
  await transaction
    .selectFrom("users")
    .select("id")
    .where("id", "=", ownerId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  const { owned } = await transaction
    .selectFrom("organization_members as m")
    .innerJoin("organizations as o", "o.id", "m.organization_id")
    .select((select) => select.fn.countAll<bigint>().as("owned"))
    .where("m.user_id", "=", ownerId)
    .where("m.role", "=", "owner")
    .where("o.status", "=", "active")
    .executeTakeFirstOrThrow();
  if (owned >= limits.organizationsPerOwner) return "limit_reached";
  await enterOrganization(transaction, id);
  try {
    await transaction
      .insertInto("organizations")
      .values({ id, name, owner_id: ownerId, created_at: now, updated_at: now })
      .execute();
  } catch (error) {
    if (isDuplicate(error, "organizations_name")) return "name_taken";
    throw error;
  }
  await transaction
    .insertInto("organization_members")
    .values({ organization_id: id, user_id: ownerId, role: "owner", joined_at: now })
    .execute();
  return "created";
}
