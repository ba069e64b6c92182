import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { readMemberId, TeamMemberAnswer, toMember, UpdateTeamMember } from "@tollgate/contracts/management/member.ts";
import { findTeamMember } from "@tollgate/db/members/list-members.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";
import { changeMemberRole, requireRoleGrant } from "./team-members.ts";

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
  handle: async (input, transaction, { now }) => {
    const { caller, body } = input;
    const { teamId, role } = body;
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, teamId, {
      locks: true,
    });
    requirePermission(roles, "manage_team_members");
    const member = await findTeamMember(transaction, organizationId, teamId, readMemberId(body.memberId) ?? 0);
    if (member === null) throw unknownObject("member");
    requireRoleGrant(roles, role);
    const author = { actor: actorOf(input) };
    await changeMemberRole(transaction, { organizationId, teamId }, member, role, roles, author, now());
    return { status: 200, body: { member: toMember({ ...member, role }) } };
  },
});
