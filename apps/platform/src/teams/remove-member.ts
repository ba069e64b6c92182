import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { RemovedAnswer, RemoveTeamMember, readMemberId } from "@tollgate/contracts/management/member.ts";
import { findTeamMember } from "@tollgate/db/members/list-members.ts";
import { actorOf } from "../audit-actor.ts";
import { cancelInvitation } from "../invitations/cancel-invitation.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";
import { removeMember } from "./team-members.ts";

export const removeTeamMemberOperation = operation({
  ...write,
  id: "removeTeamMember",
  summary: "Remove a member or yourself from a team, or cancel an invitation",
  tag: "teams",
  path: "/api/gw/teams/remove-member",
  auth: "user",
  scope: "user",
  body: RemoveTeamMember,
  answers: {
    200: {
      description:
        "The member is removed from the team but not the organization. Their keys keep working unless `revokeKeys` is set",
      schema: RemovedAnswer,
    },
  },
  handle: async (input, transaction, { now }) => {
    const { caller, body } = input;
    const { teamId } = body;
    const at = now();
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, teamId, {
      locks: true,
    });
    const userId = readMemberId(body.memberId);
    if (userId !== caller.userId) requirePermission(roles, "manage_team_members");
    if (userId === null) {
      await cancelInvitation(transaction, input, { organizationId, teamId, id: String(body.memberId) }, at);
      return { status: 200, body: { removed: true, revokedKeys: 0 } };
    }
    const member = await findTeamMember(transaction, organizationId, teamId, userId);
    if (member === null) throw unknownObject("member");
    const revokedKeys = await removeMember(
      transaction,
      { organizationId, teamId },
      member,
      { roles, revokesKeys: body.revokeKeys === true },
      { actor: actorOf(input) },
      at,
    );
    return { status: 200, body: { removed: true, revokedKeys: revokedKeys.length } };
  },
});
