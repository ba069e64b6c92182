import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import { containing } from "../like-pattern.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** An organization as shown to the operator. */
export interface AnyOrganization {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "closed";
  readonly personal: boolean;
  readonly ownerId: number | null;
  readonly memberCount: number;
  readonly teamCount: number;
  readonly keyCount: number;
  readonly balance: NanoUsd;
  /** Cost of all requests so far. */
  readonly spent: NanoUsd;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface AnyOrganizationFilter {
  /** Part of the name, or the full ID. */
  readonly search: string | null;
  readonly status: "active" | "closed" | null;
  readonly sort: `${"" | "-"}${"createdAt" | "name" | "balance" | "spent"}`;
  readonly limit: number;
  readonly offset: number;
}

const columns = sql`o.id, o.name, o.status, o.is_personal as personal, o.owner_id as "ownerId", q.balance,
  q.total_used as spent,
  (select count(*)::integer from organization_members m where m.organization_id = o.id) as "memberCount",
  (select count(*)::integer from teams t where t.organization_id = o.id and t.deleted_at is null) as "teamCount",
  (select count(*)::integer from api_keys k where k.organization_id = o.id and k.revoked_at is null) as "keyCount",
  o.created_at as "createdAt", o.updated_at as "updatedAt"`;
const sortColumns = {
  createdAt: sql`o.created_at`,
  name: sql`lower(o.name)`,
  balance: sql`q.balance`,
  spent: sql`q.total_used`,
};

/** Lists one page of all organizations for an administrator, and counts them. */
export async function listAllOrganizations(
  transaction: TenantTransaction,
  { search, status, sort, limit, offset }: AnyOrganizationFilter,
): Promise<{ readonly organizations: readonly AnyOrganization[]; readonly total: number }> {
  const wanted = sql`
    from organizations o join organization_quota q on q.organization_id = o.id
    where (${search}::text is null or o.name ilike ${containing(search ?? "")} or o.id = ${search})
      and (${status}::text is null or o.status = ${status})`;
  const direction = sort.startsWith("-") ? sql`desc` : sql`asc`;
  const { rows } = await sql<AnyOrganization>`
    select ${columns} ${wanted}
    order by ${sortColumns[sort.replace("-", "") as keyof typeof sortColumns]} ${direction}, o.id ${direction}
    limit ${limit} offset ${offset}`.execute(transaction);
  const counted = await sql<{ total: number }>`select count(*)::integer as total ${wanted}`.execute(transaction);
  return { organizations: rows, total: counted.rows[0]?.total ?? 0 };
}

/** Finds an organization, regardless of its owner. */
export async function findAnyOrganization(
  transaction: TenantTransaction,
  organizationId: string,
): Promise<AnyOrganization | null> {
  const { rows } = await sql<AnyOrganization>`
    select ${columns} from organizations o join organization_quota q on q.organization_id = o.id
    where o.id = ${organizationId}`.execute(transaction);
  return rows[0] ?? null;
}
