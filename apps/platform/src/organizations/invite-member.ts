import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { InvitedAnswer } from "@tollgate/contracts/management/invitation.ts";
import { InviteToOrganization } from "@tollgate/contracts/management/member.ts";
import { findMemberByEmail } from "@tollgate/db/members/list-members.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import { canGrantOrganizationRole } from "@tollgate/domain/roles/permissions.ts";
import Type from "typebox";
import { invite } from "../invitations/invite.ts";
import { operation, write } from "../operation.ts";
import { enterOwnOrganization, requirePermission, roleRequired } from "./enter-own-organization.ts";

export const inviteMemberOperation = operation({
  ...write,
  rate: "invite",
  id: "inviteOrganizationMember",
  summary: "Invite a user to an organization",
  tag: "organizations",
  path: "/api/gw/organizations/{id}/invite-member",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  body: InviteToOrganization,
  answers: {
    202: { description: "The invitation was sent, whether or not the user has an account", schema: InvitedAnswer },
  },
  handle: async (input, transaction, services) => {
    const { caller, params, body } = input;
    const email = readInvitedEmail(body.email);
    const role = body.role ?? "member";
    const roles = await enterOwnOrganization(transaction, caller, params.id, { locks: true });
    requirePermission(roles, "manage_organization_members");
    if (!canGrantOrganizationRole(roles, role)) throw roleRequired("Only organization owners can make admins.");
    if ((await findMemberByEmail(transaction, params.id, email, null)) !== null) {
      throw alreadyMember("organization");
    }
    return invite(transaction, input, services, { organizationId: params.id, teamId: null, email, role });
  },
});

/** Normalizes an invited email address the same way as account email addresses. */
export function readInvitedEmail(text: string): string {
  const email = normalizeEmail(text);
  if (email === null) throw invalidField("email", "is not a valid email address");
  return email;
}

export function alreadyMember(where: "team" | "organization"): Failure {
  return new Failure("ALREADY_MEMBER", `This user is already a member of the ${where}.`);
}
