import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Adds a member of the organization to one of its teams. */
export async function addTeamMember(
  transaction: TenantTransaction,
  organizationId: string,
  member: { readonly teamId: string; readonly userId: number; readonly role: TeamRole; readonly now: Date },
): Promise<void> {
  await transaction
    .insertInto("team_members")
    .values({
      organization_id: organizationId,
      team_id: member.teamId,
      user_id: member.userId,
      role: member.role,
      joined_at: member.now,
    })
    .execute();
}

/** Changes a team member's role. */
export async function changeTeamRole(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  userId: number,
  role: TeamRole,
): Promise<void> {
  await transaction
    .updateTable("team_members")
    .set({ role })
    .where("organization_id", "=", organizationId)
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .execute();
}

/** Removes a user from a team. They remain in the organization. */
export async function removeTeamMember(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  userId: number,
): Promise<void> {
  await transaction
    .deleteFrom("team_members")
    .where("organization_id", "=", organizationId)
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .execute();
}

/** Reports whether the team has an administrator other than this user. */
export async function hasOtherTeamAdmin(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  userId: number,
): Promise<boolean> {
  const other = await transaction
    .selectFrom("team_members")
    .select("user_id")
    .where("organization_id", "=", organizationId)
    .where("team_id", "=", teamId)
    .where("role", "=", "admin")
    .where("user_id", "<>", userId)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
