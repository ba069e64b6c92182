import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type RawBuilder, sql } from "kysely";
import { type BudgetState, readBudgetsOfMany } from "../leases/read-budgets.ts";
import type { RateLimits } from "../rate-limits.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** A team with all of its settings. */
export interface ManagedTeam extends ManagedTeamRow {
  readonly limits: RateLimits;
  readonly budget: BudgetState | null;
}

interface ManagedTeamRow {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly status: "active" | "blocked";
  readonly blockedReason: string | null;
  readonly models: readonly string[];
  readonly modelAliases: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly guardrails: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Total spend of the team's keys. */
  readonly spent: NanoUsd;
  readonly members: readonly ManagedMember[];
}

interface ManagedMember {
  readonly userId: number;
  readonly email: string;
  readonly role: "admin" | "member";
}

/** Filter for teams. Null fields match everything. */
interface ManagedTeamFilter {
  readonly organizationId: string | null;
  readonly ids: readonly string[] | null;
  /** Matches only teams that this user is in. */
  readonly memberId: number | null;
  readonly name: string | null;
}

/** Lists one page of the matching teams that have not been deleted, newest first. */
export async function listManagedTeams(
  transaction: TenantTransaction,
  filter: ManagedTeamFilter,
  { limit, offset, now }: { readonly limit: number; readonly offset: number; readonly now: Date },
): Promise<{ readonly teams: readonly ManagedTeam[]; readonly total: number }> {
  const wanted = sql`from teams team where ${whereTeams(filter)}`;
  const { rows } = await sql<ManagedTeamRow & RateLimits>`
    select ${columns} ${wanted} order by team.created_at desc, team.id desc limit ${limit} offset ${offset}`.execute(
    transaction,
  );
  const counted = await sql<{ total: number }>`select count(*)::integer as total ${wanted}`.execute(transaction);
  const budgets = await readBudgetsOfMany(transaction, "team", rows, now);
  const teams = rows.map(({ rpm, tpm, maxParallel, modelRpm, modelTpm, ...row }) => ({
    ...row,
    limits: { rpm, tpm, maxParallel, modelRpm, modelTpm },
    budget: budgets.get(row.id) ?? null,
  }));
  return { teams, total: counted.rows[0]?.total ?? 0 };
}

function whereTeams({ organizationId, ids, memberId, name }: ManagedTeamFilter): RawBuilder<unknown> {
  return sql.join(
    [
      sql`team.deleted_at is null`,
      ...(organizationId === null ? [] : [sql`team.organization_id = ${organizationId}`]),
      ...(ids === null ? [] : [sql`team.id = any (${[...ids]}::text[])`]),
      ...(name === null ? [] : [sql`lower(team.name) = lower(${name})`]),
      ...(memberId === null
        ? []
        : [
            sql`exists (select from team_members mate where mate.organization_id = team.organization_id
              and mate.team_id = team.id and mate.user_id = ${memberId})`,
          ]),
    ],
    sql` and `,
  );
}

/** Maximum number of members listed with a team. */
const MAX_MEMBERS = 1_000;

const columns = sql`
  team.id, team.organization_id as "organizationId", team.name, team.status, team.blocked_reason as "blockedReason",
  team.models::text[], team.model_aliases as "modelAliases", team.tags::text[], team.guardrails::text[], team.metadata,
  team.rpm_limit as rpm, team.tpm_limit as tpm, team.max_parallel_requests as "maxParallel",
  team.model_rpm_limits as "modelRpm", team.model_tpm_limits as "modelTpm",
  team.created_at as "createdAt", team.updated_at as "updatedAt",
  coalesce((select sum(r.cost)::bigint from usage_rollups r
    where r.organization_id = team.organization_id and r.team_id = team.id), 0) as spent,
  coalesce((
    select json_agg(json_build_object('userId', mate."userId", 'email', mate.email, 'role', mate.role))
    from (
      select person.id as "userId", person.email, mate.role from team_members mate
      join users person on person.id = mate.user_id
      where mate.organization_id = team.organization_id and mate.team_id = team.id
      order by mate.joined_at, person.id limit ${sql.lit(MAX_MEMBERS)}
    ) as mate
  ), '[]'::json) as members`;
