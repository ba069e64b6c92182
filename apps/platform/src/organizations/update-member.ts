import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import {
  OrganizationMemberAnswer,
  readMemberId,
  toMember,
  UpdateOrganizationMember,
} from "@tollgate/contracts/management/member.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeSentInvitations } from "@tollgate/db/invitations/end-invitation.ts";
import { changeOrganizationRole } from "@tollgate/db/members/change-organization-member.ts";
import { findMember } from "@tollgate/db/members/list-members.ts";
import { canGrantOrganizationRole, isLowered } from "@tollgate/domain/roles/permissions.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOwnOrganization, requirePermission, roleRequired } from "./enter-own-organization.ts";
import { refuseOwnership } from "./remove-member.ts";

export const updateMemberOperation = operation({
  ...write,
  id: "updateOrganizationMember",
  summary: "Update a member's role; to transfer an organization, make another member its owner",
  tag: "organizations",
  path: "/api/gw/organizations/{id}/update-member",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  body: UpdateOrganizationMember,
  answers: { 200: { description: "The updated member", schema: OrganizationMemberAnswer } },
  handle: async (input, transaction, { now }) => {
    const { caller, params, body } = input;
    const roles = await enterOwnOrganization(transaction, caller, params.id, { locks: true });
    requirePermission(roles, "manage_organization_members");
    const member = await findMember(transaction, params.id, readMemberId(body.memberId) ?? 0);
    if (member === null) throw unknownObject("member");
    // Lowering a role requires the permission to grant the current role.
    if (!canGrantOrganizationRole(roles, body.role) || !canGrantOrganizationRole(roles, member.role)) {
      throw roleRequired("Only organization owners can add, change, or remove admins and owners.");
    }
    if (member.role !== body.role) {
      const outcome = await changeOrganizationRole(transaction, params.id, member.userId, body.role);
      if (outcome !== "done") throw refuseOwnership(outcome);
      const revokedInvitations = isLowered(member.role, body.role)
        ? await revokeSentInvitations(transaction, params.id, { invitedBy: member.userId }, now())
        : [];
      await writeAudit(transaction, {
        organizationId: params.id,
        actor: actorOf(input),
        action: "member.role_changed",
        target: { type: "user", id: String(member.userId) },
        before: { role: member.role },
        after: { role: body.role, ...(revokedInvitations.length > 0 && { revokedInvitations }) },
        personal: { target: { email: member.email } },
        subjects: [member.userId],
      });
    }
    return { status: 200, body: { member: toMember({ ...member, role: body.role }) } };
  },
});
