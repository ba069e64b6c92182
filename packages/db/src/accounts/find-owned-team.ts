import type { TenantTransaction } from "../tenancy.ts";

/** Returns the oldest team of the oldest organization that this user owns, or null if there is none. */
export async function findOwnedTeam(
  transaction: TenantTransaction,
  userId: number,
): Promise<{ readonly organizationId: string; readonly teamId: string } | null> {
  const row = await transaction
    .selectFrom("organizations as organization")
    .innerJoin("teams as team", "team.organization_id", "organization.id")
    .select(["organization.id as organizationId", "team.id as teamId"])
    .where("organization.owner_id", "=", userId)
    .where("organization.status", "=", "active")
    .where("team.deleted_at", "is", null)
    .orderBy("organization.created_at")
    .orderBy("team.created_at")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
