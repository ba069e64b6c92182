import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { OrganizationRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import { containing } from "../like-pattern.ts";
import type { TenantTransaction } from "../tenancy.ts";

export type UserStatus = "active" | "disabled" | "deleted";

export interface UserRecord {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly status: UserStatus;
  readonly emailVerified: boolean;
  readonly createdAt: Date;
  readonly lastLoginAt: Date | null;
}

interface UserFilter {
  /** Part of the email address or the name. */
  readonly search: string | null;
  readonly role: "user" | "admin" | null;
  readonly statuses: readonly UserStatus[];
  readonly sort: `${"" | "-"}${"createdAt" | "email" | "name" | "lastLoginAt"}`;
  readonly limit: number;
  readonly offset: number;
}

const columns = sql`u.id, u.email, u.name, u.role, u.status, u.email_verified_at is not null as "emailVerified",
  u.created_at as "createdAt", u.last_login_at as "lastLoginAt"`;
const sortColumns = {
  createdAt: sql`u.created_at`,
  email: sql`u.email`,
  name: sql`lower(u.name)`,
  lastLoginAt: sql`u.last_login_at`,
};

/** A user in a list. */
export interface UserEntry extends UserRecord {
  /** Number of organizations that the user is a member of. */
  readonly organizations: number;
  /** Cost of all requests with keys that the user created. */
  readonly spent: NanoUsd;
}

/** Lists one page of the instance's users for an administrator, and counts them. */
export async function listUsers(
  transaction: TenantTransaction,
  filter: UserFilter,
): Promise<{ readonly users: readonly UserEntry[]; readonly total: number }> {
  const { search, role, statuses, sort } = filter;
  const pattern = containing(search ?? "");
  const wanted = sql`
    from users u
    where (${search}::text is null or u.email ilike ${pattern} or u.name ilike ${pattern})
      and (${role}::text is null or u.role = ${role}) and u.status = any (${statuses}::text[])`;
  const direction = sort.startsWith("-") ? sql`desc nulls last` : sql`asc nulls last`;
  const { rows } = await sql<UserEntry>`
    with page as (
      select ${columns}, row_number() over (order by ${sortColumns[sort.replace("-", "") as keyof typeof sortColumns]} ${direction}, u.id ${direction}) as place
      ${wanted}
      order by place
      limit ${filter.limit} offset ${filter.offset}
    )
    select id, email, name, role, status, "emailVerified", "createdAt", "lastLoginAt",
      (select count(*)::integer from organization_members m where m.user_id = page.id) as organizations,
      (
        select coalesce(sum(used.cost), 0)::bigint
        from api_keys made
        join usage_rollups used on used.organization_id = made.organization_id and used.key_id = made.id
        where made.user_id = page.id
      ) as spent
    from page
    order by place`.execute(transaction);
  const counted = await sql<{ total: number }>`select count(*)::integer as total ${wanted}`.execute(transaction);
  return { users: rows, total: counted.rows[0]?.total ?? 0 };
}

/** Finds a user, even if the user was deleted. */
export async function findUser(transaction: TenantTransaction, userId: number): Promise<UserRecord | null> {
  const { rows } = await sql<UserRecord>`select ${columns} from users u where u.id = ${userId}`.execute(transaction);
  return rows[0] ?? null;
}

interface UserOrganization {
  readonly id: string;
  readonly name: string;
  readonly role: OrganizationRole;
  readonly balance: NanoUsd;
}

/** Returns a user's organizations, oldest first, and the number of active keys that the user created. */
export async function readUserBelongings(
  transaction: TenantTransaction,
  userId: number,
): Promise<{ readonly organizations: readonly UserOrganization[]; readonly keyCount: number }> {
  const { rows: organizations } = await sql<UserOrganization>`
    select o.id, o.name, m.role, q.balance
    from organization_members m
    join organizations o on o.id = m.organization_id
    join organization_quota q on q.organization_id = o.id
    where m.user_id = ${userId}
    order by o.created_at, o.id`.execute(transaction);
  const { rows: counted } = await sql<{ keyCount: number }>`
    select count(*)::integer as "keyCount" from api_keys where user_id = ${userId} and revoked_at is null`.execute(
    transaction,
  );
  return { organizations, keyCount: counted[0]?.keyCount ?? 0 };
}
