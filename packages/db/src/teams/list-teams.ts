import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import { type RawBuilder, sql } from "kysely";
import { containing } from "../like-pattern.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** A team as shown to a member of its organization. */
export interface TeamOfMember {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly status: "active" | "blocked";
  readonly blockedReason: string | null;
  readonly blockedAt: Date | null;
  /** Null if the member isn't in the team. */
  readonly role: TeamRole | null;
  readonly memberCount: number;
  readonly keyCount: number;
  readonly models: readonly string[];
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface TeamFilter {
  /** True to include teams that the user isn't in. */
  readonly seesAll: boolean;
  readonly search?: string | undefined;
  readonly status?: "active" | "blocked" | undefined;
  readonly sort: `${"" | "-"}${"createdAt" | "name"}`;
  readonly page: number;
  readonly pageSize: number;
}

/** Lists one page of an organization's teams for one of its members, and counts them. */
export async function listTeams(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
  filter: TeamFilter,
): Promise<{ readonly teams: readonly TeamOfMember[]; readonly total: number }> {
  const pattern = filter.search === undefined || filter.search === "" ? null : containing(filter.search);
  const matching = sql`
    from teams t
    left join team_members own on own.team_id = t.id and own.user_id = ${userId}
    where t.organization_id = ${organizationId} and t.deleted_at is null
      and (${filter.seesAll}::boolean or own.user_id is not null)
      and (${filter.status ?? null}::text is null or t.status = ${filter.status ?? null})
      and (${pattern}::text is null or t.name ilike ${pattern})`;
  const { rows: teams } = await sql<TeamOfMember>`
    select ${columns} ${matching} order by ${orders[filter.sort]}, t.id
    limit ${filter.pageSize} offset ${(filter.page - 1) * filter.pageSize}`.execute(transaction);
  const { rows: counted } = await sql<{ total: number }>`select count(*)::integer as total ${matching}`.execute(
    transaction,
  );
  return { teams, total: counted[0]?.total ?? 0 };
}

/** Finds a team in the organization, unless the team has been deleted. */
export async function findTeamOfMember(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  userId: number,
): Promise<TeamOfMember | null> {
  const { rows } = await sql<TeamOfMember>`
    select ${columns}
    from teams t
    left join team_members own on own.team_id = t.id and own.user_id = ${userId}
    where t.organization_id = ${organizationId} and t.id = ${teamId} and t.deleted_at is null`.execute(transaction);
  return rows[0] ?? null;
}

/** Returns the organization of a team that is visible and not deleted. */
export async function findOrganizationOfTeam(transaction: TenantTransaction, teamId: string): Promise<string | null> {
  const row = await transaction
    .selectFrom("teams")
    .select("organization_id")
    .where("id", "=", teamId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.organization_id ?? null;
}

const columns = sql`t.id, t.organization_id as "organizationId", t.name, t.status, t.blocked_reason as "blockedReason",
  t.blocked_at as "blockedAt", own.role,
  (select count(*)::integer from team_members m where m.team_id = t.id) as "memberCount",
  (select count(*)::integer from api_keys k
    where k.organization_id = t.organization_id and k.team_id = t.id and k.revoked_at is null) as "keyCount",
  t.models::text[], t.rpm_limit as rpm, t.tpm_limit as tpm, t.max_parallel_requests as "maxParallel",
  t.created_at as "createdAt", t.updated_at as "updatedAt"`;

const orders: Readonly<Record<TeamFilter["sort"], RawBuilder<unknown>>> = {
  createdAt: sql`t.created_at`,
  "-createdAt": sql`t.created_at desc`,
  name: sql`lower(t.name)`,
  "-name": sql`lower(t.name) desc`,
};
