import { PathId } from "@tollgate/contracts/management/fields.ts";
import { toInvitation } from "@tollgate/contracts/management/invitation.ts";
import { toMember } from "@tollgate/contracts/management/member.ts";
import { TeamDetails } from "@tollgate/contracts/management/team.ts";
import { listInvitationsOfTeam } from "@tollgate/db/invitations/list-invitations.ts";
import { listTeamMembers } from "@tollgate/db/members/list-members.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";
import { readTeam } from "./read-team.ts";

export const getTeamOperation = operation({
  ...read,
  id: "getTeam",
  summary: "Get a team with its members and open invitations",
  tag: "teams",
  path: "/api/gw/teams/{id}",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The team", schema: TeamDetails } },
  handle: async ({ caller, params }, transaction, services) => {
    const now = services.now();
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, params.id);
    requirePermission(roles, "see_team");
    const team = await readTeam(transaction, organizationId, params.id, caller.userId, now);
    const members = await listTeamMembers(transaction, organizationId, params.id);
    const invitations = await listInvitationsOfTeam(transaction, organizationId, params.id);
    return {
      status: 200,
      body: {
        team,
        members: members.map(toMember),
        invitations: invitations.map((invitation) => toInvitation(invitation, now)),
      },
    };
  },
});
