import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Model limits of the team and organization that apply to every key; an empty list allows all models. */
interface KeyBounds {
  readonly teamModels: readonly string[];
  readonly organizationModels: readonly string[];
}

/**
 * Locks the team until this transaction ends, so that no other transaction can create a key in the team or delete it.
 * Returns null if the organization has no such team.
 */
export async function lockTeamForKey(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
): Promise<KeyBounds | null> {
  const { rows } = await sql<KeyBounds>`
    select team.models as "teamModels", organization.models as "organizationModels"
    from teams team
    join organizations organization on organization.id = team.organization_id
    where team.id = ${teamId} and team.organization_id = ${organizationId} and team.deleted_at is null
    for no key update of team`.execute(transaction);
  return rows[0] ?? null;
}

/** Returns the number of the team's keys that have not been revoked. It can't grow while the team is locked. */
export async function countTeamKeys(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
): Promise<bigint> {
  const { count } = await transaction
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("organization_id", "=", organizationId)
    .where("team_id", "=", teamId)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the model limits for an existing team's keys. */
export async function findKeyBounds(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
): Promise<KeyBounds> {
  const { rows } = await sql<KeyBounds>`
    select team.models as "teamModels", organization.models as "organizationModels"
    from teams team join organizations organization on organization.id = team.organization_id
    where team.id = ${teamId} and team.organization_id = ${organizationId}`.execute(transaction);
  return rows[0] as KeyBounds;
}
