import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { InvitationChoice } from "@tollgate/contracts/management/invitation.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { declineInvitation } from "@tollgate/db/invitations/end-invitation.ts";
import { findInvitation } from "@tollgate/db/invitations/list-invitations.ts";
import { findMemberRoles } from "@tollgate/db/members/find-member-roles.ts";
import { enterOrganization, runUnauthenticated, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";
import { operation, write } from "../operation.ts";
import { roleRequired } from "../organizations/enter-own-organization.ts";
import { searchOwnOrganizations } from "../organizations/search-own-organizations.ts";
import { cancelInvitation } from "./cancel-invitation.ts";
import { type ChosenInvitation, chooseInvitation } from "./choose-invitation.ts";

export const declineInvitationOperation = operation({
  ...write,
  idempotency: "none",
  id: "declineInvitation",
  summary: "Decline an invitation",
  tag: "teams",
  path: "/api/invitations/decline",
  auth: "user",
  scope: "own",
  body: InvitationChoice,
  answers: { 204: { description: "The invitation is declined" } },
  handle: async (input, { db, now }) => {
    const by = chooseInvitation(input.body, input.caller);
    const isDeclined = await runUnauthenticated(db, (transaction) => decline(transaction, input, by, now()));
    if (!isDeclined) throw unknownObject("open invitation");
    return { status: 204 };
  },
});

export const deleteInvitationOperation = operation({
  ...write,
  method: "DELETE",
  idempotency: "none",
  bodyLimitBytes: 0,
  id: "deleteInvitation",
  summary: "Cancel an invitation to one of your organizations, or decline an invitation sent to you",
  tag: "teams",
  path: "/api/invitations/{id}",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  answers: { 204: { description: "The invitation can no longer be accepted" } },
  handle: async (input, transaction, { now }) => {
    const { caller, params } = input;
    const isCancelled = await searchOwnOrganizations(transaction, caller, async ({ organizationId }) => {
      const invitation = await findInvitation(transaction, organizationId, params.id);
      // Invitees decline their own invitations below, even if they are already members.
      if (invitation === null || invitation.email === caller.email) return null;
      const roles = await findMemberRoles(transaction, organizationId, caller.userId, invitation.teamId);
      const action = invitation.teamId === null ? "manage_organization_members" : "manage_team_members";
      if (invitation.inviterId !== caller.userId && (roles === null || !may(roles, action))) {
        throw roleRequired("Only the inviter or a user who can manage members can cancel this invitation.");
      }
      await cancelInvitation(transaction, input, { organizationId, id: params.id }, now());
      return true;
    });
    if (isCancelled !== null) return { status: 204 };
    const isDeclined =
      caller.isEmailVerified && (await decline(transaction, input, { invitationId: params.id }, now()));
    if (!isDeclined) throw unknownObject("open invitation");
    return { status: 204 };
  },
});

async function decline(
  transaction: TenantTransaction,
  input: { readonly caller: Caller; readonly origin: Origin },
  by: ChosenInvitation,
  now: Date,
): Promise<boolean> {
  const declined = await declineInvitation(transaction, by, input.caller.email, now);
  if (declined === null) return false;
  await enterOrganization(transaction, declined.organizationId);
  await writeAudit(transaction, {
    organizationId: declined.organizationId,
    actor: actorOf(input),
    action: "member.invitation_declined",
    target: { type: "invitation", id: declined.id },
    before: { status: "pending" },
    after: { status: "declined" },
  });
  return true;
}
