import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import { isDuplicate } from "../database-away.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** `name_taken`: the next owner has an organization of the same name; the transaction is lost then. */
export type OwnershipOutcome = "done" | "last_owner" | "name_taken";

/** Gives a member another role. With the organization locked: an organization always keeps an owner. */
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

/** Ends a membership, and with it those in the organization's teams. With the organization locked. */
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

/** The organization is listed under one of its owners: when that one goes, under the one who has been there longest. */
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
