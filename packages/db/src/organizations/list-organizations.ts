import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import { type RawBuilder, sql } from "kysely";
import { containing } from "../like-pattern.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** An organization as shown to one of its members. */
export interface OrganizationOfMember {
  readonly id: string;
  readonly name: string;
  readonly role: OrganizationRole;
  readonly ownerId: number | null;
  readonly billingEmail: string | null;
  readonly isPersonal: boolean;
  readonly teamCount: number;
  readonly memberCount: number;
  readonly lowBalanceThreshold: NanoUsd | null;
  readonly logPrompts: boolean;
  readonly logRetentionDays: number;
  /** IANA time zone name; reports use days in this zone. */
  readonly timezone: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface OrganizationFilter {
  readonly search?: string | undefined;
  readonly sort: `${"" | "-"}${"createdAt" | "name"}`;
  readonly page: number;
  readonly pageSize: number;
}

/** Lists one page of the open organizations that a user belongs to, and counts them. */
export async function listOrganizations(
  transaction: TenantTransaction,
  userId: number,
  filter: OrganizationFilter,
): Promise<{ readonly organizations: readonly OrganizationOfMember[]; readonly total: number }> {
  const pattern = filter.search === undefined || filter.search === "" ? null : containing(filter.search);
  const matching = sql`
    from organization_members m
    join organizations o on o.id = m.organization_id and o.status = 'active'
    where m.user_id = ${userId} and (${pattern}::text is null or o.name ilike ${pattern})`;
  const { rows: chosen } = await sql<{ id: string }>`
    select o.id ${matching} order by ${orders[filter.sort]}, o.id
    limit ${filter.pageSize} offset ${(filter.page - 1) * filter.pageSize}`.execute(transaction);
  const { rows: counted } = await sql<{ total: number }>`select count(*)::integer as total ${matching}`.execute(
    transaction,
  );
  const ids = chosen.map(({ id }) => id);
  const found = await readOrganizations(transaction, userId, ids);
  const byId = new Map(found.map((organization) => [organization.id, organization]));
  return { organizations: ids.flatMap((id) => byId.get(id) ?? []), total: counted[0]?.total ?? 0 };
}

/**
 * Returns an organization as shown to this member, or null if it is closed or unknown, or if the user isn't a member.
 */
export async function findOrganization(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
): Promise<OrganizationOfMember | null> {
  const [found] = await readOrganizations(transaction, userId, [organizationId]);
  return found ?? null;
}

async function readOrganizations(
  transaction: TenantTransaction,
  userId: number,
  ids: readonly string[],
): Promise<readonly OrganizationOfMember[]> {
  const { rows } = await sql<OrganizationOfMember>`
    select o.id, o.name, m.role, o.owner_id as "ownerId", o.billing_email as "billingEmail",
      o.is_personal as "isPersonal", f.team_count as "teamCount", f.member_count as "memberCount",
      f.low_balance_threshold as "lowBalanceThreshold", o.log_prompts as "logPrompts",
      o.log_retention_days as "logRetentionDays", o.timezone, o.created_at as "createdAt", o.updated_at as "updatedAt"
    from organization_members m
    join organizations o on o.id = m.organization_id and o.status = 'active'
    join organization_facts(${ids}::text[]) f on f.id = o.id
    where m.user_id = ${userId} and o.id = any (${ids}::text[])`.execute(transaction);
  return rows;
}

const orders: Readonly<Record<OrganizationFilter["sort"], RawBuilder<unknown>>> = {
  createdAt: sql`o.created_at`,
  "-createdAt": sql`o.created_at desc`,
  name: sql`lower(o.name)`,
  "-name": sql`lower(o.name) desc`,
};
