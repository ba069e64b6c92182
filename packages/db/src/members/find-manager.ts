import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A user's roles in the instance, in one organization, and in its teams. */
interface ManagerFacts {
  readonly isAdministrator: boolean;
  /** Null if the user isn't a member of the organization, or the organization is closed. */
  readonly role: OrganizationRole | null;
  readonly teams: Readonly<Record<string, TeamRole>>;
}

/** Returns the user's current management roles, or null if the account isn't active. */
export async function findManager(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
): Promise<ManagerFacts | null> {
  const { rows } = await sql<ManagerFacts>`
    select person.role = 'admin' as "isAdministrator", member.role,
      coalesce((
        select json_object_agg(mate.team_id, mate.role) from team_members mate
        join teams team on team.id = mate.team_id and team.deleted_at is null
        where mate.organization_id = ${organizationId} and mate.user_id = ${userId}
      ), '{}'::json) as teams
    from users person
    left join organizations organization on organization.id = ${organizationId} and organization.status = 'active'
    left join organization_members member
      on member.organization_id = organization.id and member.user_id = person.id
    where person.id = ${userId} and person.status = 'active'`.execute(transaction);
  return rows[0] ?? null;
}
