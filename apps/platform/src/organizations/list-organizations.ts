import { toList } from "@tollgate/contracts/management/lists.ts";
import {
  OrganizationList,
  OrganizationListQuery,
  toOrganization,
} from "@tollgate/contracts/management/organization.ts";
import { listOrganizations } from "@tollgate/db/organizations/list-organizations.ts";
import { operation, read } from "../operation.ts";

export const listOrganizationsOperation = operation({
  ...read,
  id: "listOrganizations",
  summary: "List your organizations",
  tag: "organizations",
  path: "/api/gw/organizations/list",
  auth: "user",
  scope: "user",
  query: OrganizationListQuery,
  answers: { 200: { description: "One page of organizations", schema: OrganizationList } },
  handle: async ({ caller, query }, transaction) => {
    const { organizations, total } = await listOrganizations(transaction, caller.userId, query);
    const activeId = caller.organization?.id ?? null;
    const data = organizations.map((organization) => toOrganization(organization, activeId));
    return { status: 200, body: toList(data, query, total) };
  },
});
