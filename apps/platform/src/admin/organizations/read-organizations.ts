import { Quota } from "@tollgate/contracts/management/credit.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { AdminOrganization, AdminOrganizationQuery, AdminTeam } from "@tollgate/contracts/management/user.ts";
import { readCredit } from "@tollgate/db/credits/read-credit.ts";
import {
  type AnyOrganization,
  findAnyOrganization,
  listAllOrganizations,
} from "@tollgate/db/organizations/list-all-organizations.ts";
import { listTeamsOfOrganization } from "@tollgate/db/teams/block-by-operator.ts";
import Type from "typebox";
import { toQuota } from "../../credits/read-credit.ts";
import { operation, read } from "../../operation.ts";

export const listAdminOrganizations = operation({
  ...read,
  id: "listAdminOrganizations",
  summary: "List all organizations, filtered by name or ID",
  tag: "admin",
  path: "/api/admin/organizations",
  auth: "administrator",
  scope: "administrator",
  query: AdminOrganizationQuery,
  answers: { 200: { description: "One page of organizations", schema: listOf(AdminOrganization) } },
  async handle({ query }, transaction) {
    const { page, pageSize, search, status, sort } = query;
    const { organizations, total } = await listAllOrganizations(transaction, {
      search: search ?? null,
      status: status ?? null,
      sort,
      limit: pageSize,
      offset: (page - 1) * pageSize,
    });
    return { status: 200, body: toList(organizations.map(withUsdOf), query, total) };
  },
});

export const getAdminOrganization = operation({
  ...read,
  id: "getAdminOrganization",
  summary: "Get an organization with its quota, held credit, and teams",
  tag: "admin",
  path: "/api/admin/organizations/{id}",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  answers: {
    200: {
      description: "The organization",
      schema: Type.Object({ organization: AdminOrganization, quota: Quota, teams: Type.Array(AdminTeam) }),
    },
  },
  async handle({ params }, transaction) {
    const organization = await findAnyOrganization(transaction, params.id);
    const credit = await readCredit(transaction, params.id);
    if (organization === null || credit === null) throw unknownObject("organization");
    const teams = await listTeamsOfOrganization(transaction, params.id);
    return { status: 200, body: { organization: withUsdOf(organization), quota: toQuota(credit), teams } };
  },
});

const withUsdOf = (organization: AnyOrganization) => ({
  ...organization,
  usd: usdOf({ balance: organization.balance, spent: organization.spent }),
});
