import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { RemovedAnswer, RemoveTeamMember, readMemberId } from "@tollgate/contracts/management/member.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeWaysBack } from "@tollgate/db/invitations/end-invitation.ts";
import { revokeKeys } from "@tollgate/db/keys/revoke-keys.ts";
import { removeTeamMember } from "@tollgate/db/members/change-team-member.ts";
import { findTeamMember } from "@tollgate/db/members/list-members.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import { actorOf } from "../audit-actor.ts";
import { cancelInvitation } from "../invitations/cancel-invitation.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";
import { requireAnotherAdmin } from "./update-member.ts";

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
    if (member.role === "admin") await requireAnotherAdmin(transaction, { organizationId, teamId, userId }, roles);
    const revokedInvitations = await revokeWaysBack(transaction, organizationId, { email: member.email, teamId }, at);
    await removeTeamMember(transaction, organizationId, teamId, userId);
    const revokedKeys =
      body.revokeKeys === true ? await revokeKeys(transaction, organizationId, { teamId, userId }, at) : [];
    await addEvent(transaction, organizationId, "member.removed", { userId, teamId, scope: "team" });
    await writeAudit(transaction, {
      organizationId,
      actor: actorOf(input),
      action: "member.removed",
      target: { type: "user", id: String(userId) },
      before: { teamId, role: member.role },
      after: { revokedKeys, revokedInvitations },
      personal: { target: { email: member.email } },
      subjects: [userId],
    });
    return { status: 200, body: { removed: true, revokedKeys: revokedKeys.length } };
  },
});
