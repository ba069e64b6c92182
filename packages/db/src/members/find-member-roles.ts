import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import type { TenantTransaction } from "../tenancy.ts";

export interface MemberRoles {
  readonly organization: OrganizationRole;
  readonly team: TeamRole | null;
}

/** Returns a user's roles in an open organization and one of its teams, or null if they aren't a member. */
export async function findMemberRoles(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
  teamId: string | null = null,
): Promise<MemberRoles | null> {
  const row = await transaction
    .selectFrom("organization_members as m")
    .innerJoin("organizations as o", (join) =>
      join.onRef("o.id", "=", "m.organization_id").on("o.status", "=", "active"),
    )
    .leftJoin("team_members as t", (join) =>
      join
        .onRef("t.organization_id", "=", "m.organization_id")
        .onRef("t.user_id", "=", "m.user_id")
        .on("t.team_id", "=", teamId),
    )
    .select(["m.role as organization", "t.role as team"])
    .where("m.organization_id", "=", organizationId)
    .where("m.user_id", "=", userId)
    .executeTakeFirst();
  return row ?? null;
}
