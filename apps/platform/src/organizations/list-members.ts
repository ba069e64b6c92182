import { PathId } from "@tollgate/contracts/management/fields.ts";
import { toList } from "@tollgate/contracts/management/lists.ts";
import { MemberListQuery, OrganizationMemberList, toMember } from "@tollgate/contracts/management/member.ts";
import { listOrganizationMembers } from "@tollgate/db/members/list-members.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";
import { enterOwnOrganization, requirePermission } from "./enter-own-organization.ts";

export const listMembersOperation = operation({
  ...read,
  id: "listOrganizationMembers",
  summary: "List the members of an organization",
  tag: "organizations",
  path: "/api/gw/organizations/{id}/members",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  query: MemberListQuery,
  answers: { 200: { description: "One page of members", schema: OrganizationMemberList } },
  handle: async ({ caller, params, query }, transaction) => {
    requirePermission(await enterOwnOrganization(transaction, caller, params.id), "manage_organization_members");
    const { members, total } = await listOrganizationMembers(transaction, params.id, query);
    return { status: 200, body: toList(members.map(toMember), query, total) };
  },
});
