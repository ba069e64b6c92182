import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import { isDuplicate } from "../database-errors.ts";
import type { TenantTransaction } from "../tenancy.ts";

/**
 * `name_taken`: the next owner already has an organization with the same name. The transaction must then be rolled
 * back.
 */
export type OwnershipOutcome = "done" | "last_owner" | "name_taken";

/** Changes a member's role. The organization must be locked, so that it always has an owner. */
export async function changeOrganizationRole(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
  role: OrganizationRole,
): Promise<OwnershipOutcome> {
  if (role !== "owner" && !(await hasOtherOwner(transaction, organizationId, userId))) return "last_owner";
  await transaction
    .updateTable("organization_members")
    .set({ role })
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
  return role === "owner" ? "done" : handOn(transaction, organizationId, userId);
}

/** Removes a member from the organization and its teams. The organization must be locked. */
export async function removeOrganizationMember(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
): Promise<OwnershipOutcome> {
  if (!(await hasOtherOwner(transaction, organizationId, userId))) return "last_owner";
  await transaction
    .deleteFrom("organization_members")
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .execute();
  return handOn(transaction, organizationId, userId);
}

async function hasOtherOwner(transaction: TenantTransaction, organizationId: string, userId: number): Promise<boolean> {
  const other = await transaction
    .selectFrom("organization_members")
    .select("user_id")
    .where("organization_id", "=", organizationId)
    .where("role", "=", "owner")
    .where("user_id", "<>", userId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Transfers the primary ownership of a leaving owner to the owner who joined first. */
async function handOn(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
): Promise<OwnershipOutcome> {
  try {
    await transaction
      .updateTable("organizations")
      .set((set) => ({
        owner_id: set
          .selectFrom("organization_members")
          .select("user_id")
          .where("organization_id", "=", organizationId)
          .where("role", "=", "owner")
          .orderBy("joined_at")
          .orderBy("user_id")
          .limit(1),
      }))
      .where("id", "=", organizationId)
      .where("owner_id", "=", userId)
      .execute();
    return "done";
  } catch (error) {
    if (isDuplicate(error, "organizations_name")) return "name_taken";
    throw error;
  }
}
