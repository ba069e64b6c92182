import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import { containing } from "../like-pattern.ts";
import type { TenantTransaction } from "../tenancy.ts";

export interface Member<Role extends string> {
  readonly userId: number;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly joinedAt: Date;
}

interface MemberFilter {
  readonly search?: string | undefined;
  readonly sort: `${"" | "-"}${"joinedAt" | "email" | "name"}`;
  readonly page: number;
  readonly pageSize: number;
}

const sortColumns = { joinedAt: "m.joined_at", email: "u.email", name: "u.name" } as const;

/** Lists one page of the organization's members, with the total count. */
export async function listOrganizationMembers(
  transaction: TenantTransaction,
  organizationId: string,
  filter: MemberFilter,
): Promise<{ readonly members: readonly Member<OrganizationRole>[]; readonly total: number }> {
  let query = transaction
    .selectFrom("organization_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .where("m.organization_id", "=", organizationId);
  if (filter.search !== undefined && filter.search !== "") {
    const pattern = containing(filter.search);
    query = query.where((where) => where.or([where("u.email", "ilike", pattern), where("u.name", "ilike", pattern)]));
  }
  const column = sortColumns[filter.sort.replace("-", "") as keyof typeof sortColumns];
  const direction = filter.sort.startsWith("-") ? "desc" : "asc";
  const [members, { total }] = [
    await query
      .select(["u.id as userId", "u.email", "u.name", "m.role", "m.joined_at as joinedAt"])
      .orderBy(column, direction)
      .orderBy("u.id")
      .limit(filter.pageSize)
      .offset((filter.page - 1) * filter.pageSize)
      .execute(),
    await query.select((select) => select.fn.countAll<bigint>().as("total")).executeTakeFirstOrThrow(),
  ];
  return { members, total: Number(total) };
}

export async function findMember(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
): Promise<Member<OrganizationRole> | null> {
  const row = await transaction
    .selectFrom("organization_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(["u.id as userId", "u.email", "u.name", "m.role", "m.joined_at as joinedAt"])
    .where("m.organization_id", "=", organizationId)
    .where("m.user_id", "=", userId)
    .executeTakeFirst();
  return row ?? null;
}

export async function findTeamMember(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  userId: number,
): Promise<Member<TeamRole> | null> {
  const row = await transaction
    .selectFrom("team_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(["u.id as userId", "u.email", "u.name", "m.role", "m.joined_at as joinedAt"])
    .where("m.organization_id", "=", organizationId)
    .where("m.team_id", "=", teamId)
    .where("m.user_id", "=", userId)
    .executeTakeFirst();
  return row ?? null;
}

/** Lists all members of a team, in the order they joined. */
export async function listTeamMembers(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
): Promise<readonly Member<TeamRole>[]> {
  return transaction
    .selectFrom("team_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .select(["u.id as userId", "u.email", "u.name", "m.role", "m.joined_at as joinedAt"])
    .where("m.organization_id", "=", organizationId)
    .where("m.team_id", "=", teamId)
    .orderBy("m.joined_at")
    .orderBy("u.id")
    .limit(MAX_TEAM_MEMBERS)
    .execute();
}

/** Finds a member of the organization by email address, with their role in the given team. */
export async function findMemberByEmail(
  transaction: TenantTransaction,
  organizationId: string,
  email: string,
  teamId: string | null,
): Promise<{ readonly userId: number; readonly name: string; readonly teamRole: TeamRole | null } | null> {
  const row = await transaction
    .selectFrom("organization_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .leftJoin("team_members as t", (join) =>
      join
        .onRef("t.organization_id", "=", "m.organization_id")
        .onRef("t.user_id", "=", "m.user_id")
        .on("t.team_id", "=", teamId),
    )
    .select(["u.id as userId", "u.name", "t.role as teamRole"])
    .where("m.organization_id", "=", organizationId)
    .where("u.email", "=", email)
    .executeTakeFirst();
  return row ?? null;
}

const MAX_TEAM_MEMBERS = 1_000;
