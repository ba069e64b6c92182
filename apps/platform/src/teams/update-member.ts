import { ManagementFailure, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { readMemberId, TeamMemberAnswer, toMember, UpdateTeamMember } from "@tollgate/contracts/management/member.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { changeTeamRole, hasOtherTeamAdmin } from "@tollgate/db/members/change-team-member.ts";
import { findTeamMember } from "@tollgate/db/members/list-members.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { canGrantTeamRole, may, type Roles } from "@tollgate/domain/roles/permissions.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission, roleRequired } from "../organizations/enter-own-organization.ts";

export const updateTeamMemberOperation = operation({
  ...write,
  id: "updateTeamMember",
  summary: "Update a team member's role",
  tag: "teams",
  path: "/api/gw/teams/update-member",
  auth: "user",
  scope: "user",
  body: UpdateTeamMember,
  answers: { 200: { description: "The updated member", schema: TeamMemberAnswer } },
  handle: async (input, transaction) => {
    const { caller, body } = input;
    const { teamId, role } = body;
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, teamId, {
      locks: true,
    });
    requirePermission(roles, "manage_team_members");
    const member = await findTeamMember(transaction, organizationId, teamId, readMemberId(body.memberId) ?? 0);
    if (member === null) throw unknownObject("member");
    if (!canGrantTeamRole(roles, role)) throw roleRequired("Only team admins can make other members admins.");
    if (member.role !== role) {
      if (role === "member")
        await requireAnotherAdmin(transaction, { organizationId, teamId, userId: member.userId }, roles);
      await changeTeamRole(transaction, organizationId, teamId, member.userId, role);
      await writeAudit(transaction, {
        organizationId,
        actor: actorOf(input),
        action: "member.role_changed",
        target: { type: "user", id: String(member.userId) },
        before: { teamId, role: member.role },
        after: { teamId, role },
        personal: { target: { email: member.email } },
        subjects: [member.userId],
      });
    }
    return { status: 200, body: { member: toMember({ ...member, role }) } };
  },
});

/** Throws if the team would lose its last admin, unless the caller manages all teams. */
export async function requireAnotherAdmin(
  transaction: TenantTransaction,
  admin: { readonly organizationId: string; readonly teamId: string; readonly userId: number },
  roles: Roles,
): Promise<void> {
  if (may(roles, "see_all_teams")) return;
  if (await hasOtherTeamAdmin(transaction, admin.organizationId, admin.teamId, admin.userId)) return;
  throw new ManagementFailure(
    "LAST_ADMIN",
    "This is the team's last admin. Make another member an admin first, or ask an organization admin.",
  );
}
