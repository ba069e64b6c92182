import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { RemovedAnswer, RemoveOrganizationMember, readMemberId } from "@tollgate/contracts/management/member.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeWaysBack } from "@tollgate/db/invitations/end-invitation.ts";
import { revokeKeys } from "@tollgate/db/keys/revoke-keys.ts";
import { type OwnershipOutcome, removeOrganizationMember } from "@tollgate/db/members/change-organization-member.ts";
import { findMember } from "@tollgate/db/members/list-members.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import { canGrantOrganizationRole } from "@tollgate/domain/roles/permissions.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { cancelInvitation } from "../invitations/cancel-invitation.ts";
import { operation, write } from "../operation.ts";
import { enterOwnOrganization, requirePermission, roleRequired } from "./enter-own-organization.ts";

export const removeMemberOperation = operation({
  ...write,
  id: "removeOrganizationMember",
  summary: "Remove a member or yourself, or cancel an invitation",
  tag: "organizations",
  path: "/api/gw/organizations/{id}/remove-member",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  body: RemoveOrganizationMember,
  answers: { 200: { description: "The member is removed from the organization and its teams", schema: RemovedAnswer } },
  handle: async (input, transaction, { now }) => {
    const { caller, params, body } = input;
    const at = now();
    const roles = await enterOwnOrganization(transaction, caller, params.id, { locks: true });
    const userId = readMemberId(body.memberId);
    if (userId !== caller.userId) requirePermission(roles, "manage_organization_members");
    if (userId === null) {
      await cancelInvitation(transaction, input, { organizationId: params.id, id: String(body.memberId) }, at);
      return { status: 200, body: { removed: true, revokedKeys: 0 } };
    }
    const member = await findMember(transaction, params.id, userId);
    if (member === null) throw unknownObject("member");
    if (userId !== caller.userId && !canGrantOrganizationRole(roles, member.role)) {
      throw roleRequired("Only organization owners can add, change, or remove admins and owners.");
    }
    const waysBack = { email: member.email, invitedBy: userId };
    const revokedInvitations = await revokeWaysBack(transaction, params.id, waysBack, at);
    const outcome = await removeOrganizationMember(transaction, params.id, userId);
    if (outcome !== "done") throw refuseOwnership(outcome);
    const revokedKeys = body.revokeKeys === true ? await revokeKeys(transaction, params.id, { userId }, at) : [];
    await addEvent(transaction, params.id, "member.removed", { userId, scope: "organization" });
    await writeAudit(transaction, {
      organizationId: params.id,
      actor: actorOf(input),
      action: "member.removed",
      target: { type: "user", id: String(userId) },
      before: { role: member.role },
      after: { revokedKeys, revokedInvitations },
      personal: { target: { email: member.email } },
      subjects: [userId],
    });
    return { status: 200, body: { removed: true, revokedKeys: revokedKeys.length } };
  },
});

/** Creates the failure for a rejected ownership change. */
export function refuseOwnership(outcome: Exclude<OwnershipOutcome, "done">): Failure {
  if (outcome === "last_owner") {
    return new Failure("LAST_OWNER", "This is the organization's last owner. Make another member an owner first.");
  }
  return new Failure(
    "NAME_TAKEN",
    "The next owner already has an organization with this name. Rename one of them first.",
  );
}
