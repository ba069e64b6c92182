import { PathId } from "@tollgate/contracts/management/fields.ts";
import { InvitationList, InvitationListQuery, toInvitationList } from "@tollgate/contracts/management/invitation.ts";
import { listInvitationsOfOrganization } from "@tollgate/db/invitations/list-invitations.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";
import { enterOwnOrganization, requirePermission } from "./enter-own-organization.ts";

export const listOrganizationInvitationsOperation = operation({
  ...read,
  id: "listOrganizationInvitations",
  summary: "List pending and expired invitations to an organization and its teams",
  tag: "organizations",
  path: "/api/gw/organizations/{id}/invitations",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  query: InvitationListQuery,
  answers: { 200: { description: "One page of invitations", schema: InvitationList } },
  handle: async ({ caller, params, query }, transaction, { now }) => {
    requirePermission(await enterOwnOrganization(transaction, caller, params.id), "manage_organization_members");
    const found = await listInvitationsOfOrganization(transaction, params.id, query);
    return { status: 200, body: toInvitationList(found, query, now()) };
  },
});
