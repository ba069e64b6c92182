import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { InvitedAnswer } from "@tollgate/contracts/management/invitation.ts";
import { InviteToTeam, TeamMember, toMember } from "@tollgate/contracts/management/member.ts";
import { findMemberByEmail } from "@tollgate/db/members/list-members.ts";
import { findOrganization } from "@tollgate/db/organizations/list-organizations.ts";
import { findTeamOfMember } from "@tollgate/db/teams/list-teams.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";
import { invite } from "../invitations/invite.ts";
import { sendMail } from "../mail.ts";
import { type Answer, operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";
import { alreadyMember, readInvitedEmail } from "../organizations/invite-member.ts";
import type { Services } from "../services.ts";
import { addMember, requireRoleGrant } from "./team-members.ts";

const AddedAnswer = Type.Object({ status: Type.Literal("added"), member: TeamMember });

export const inviteTeamMemberOperation = operation({
  ...write,
  rate: "invite",
  id: "inviteTeamMember",
  summary: "Add an organization member to a team, or invite someone else by email",
  tag: "teams",
  path: "/api/gw/teams/invite-member",
  auth: "user",
  scope: "user",
  body: InviteToTeam,
  answers: {
    200: { description: "The organization member was added to the team", schema: AddedAnswer },
    202: { description: "The invitation was sent, whether or not the user has an account", schema: InvitedAnswer },
  },
  handle: async (input, transaction, services) => {
    const { caller, body } = input;
    const { teamId } = body;
    const email = readInvitedEmail(body.email);
    const role = body.role ?? "member";
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, teamId, {
      locks: true,
    });
    requirePermission(roles, "manage_team_members");
    requireRoleGrant(roles, role);
    const member = await findMemberByEmail(transaction, organizationId, email, teamId);
    if (member === null) return invite(transaction, input, services, { organizationId, teamId, email, role });
    if (member.teamRole !== null) throw alreadyMember("team");
    return add(transaction, input, services, { organizationId, teamId, userId: member.userId, role });
  },
});

async function add(
  transaction: TenantTransaction,
  input: { readonly caller: Caller; readonly origin: Origin },
  services: Services,
  {
    organizationId,
    teamId,
    userId,
    role,
  }: { readonly organizationId: string; readonly teamId: string; readonly userId: number; readonly role: TeamRole },
): Promise<Answer> {
  const team = await findTeamOfMember(transaction, organizationId, teamId, input.caller.userId);
  const organization = await findOrganization(transaction, organizationId, input.caller.userId);
  if (organization === null || team === null) throw unknownObject("team");
  const author = { actor: actorOf(input) };
  const added = await addMember(transaction, { organizationId, teamId }, { userId, role }, author, services.now());
  await sendMail(transaction, services, {
    to: added.email,
    template: "member_added",
    data: {
      organizationName: organization.name,
      teamName: team.name,
      inviterName: input.caller.name,
    },
  });
  return { status: 200, body: { status: "added", member: toMember(added) } };
}
