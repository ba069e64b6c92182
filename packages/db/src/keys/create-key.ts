import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { insertKey, type NewKey } from "./insert-key.ts";

/** Model limits of the team and organization that apply to every key; an empty list allows all models. */
export interface KeyBounds {
  readonly teamModels: readonly string[];
  readonly organizationModels: readonly string[];
}

/** The team in which a key is created. */
export interface KeyTeamState extends KeyBounds {
  /** The creating user's role in the team; null if they belong only to the organization. */
  readonly role: TeamRole | null;
}

/**
 * Locks the team until this transaction ends, so that no other transaction can create a key in the team or delete it.
 * Returns null if the organization has no such team.
 */
export async function lockTeamForKey(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  userId: number,
): Promise<KeyTeamState | null> {
  const { rows } = await sql<KeyTeamState>`
    select member.role, team.models as "teamModels", organization.models as "organizationModels"
    from teams team
    join organizations organization on organization.id = team.organization_id
    left join team_members member on member.team_id = team.id and member.user_id = ${userId}
    where team.id = ${teamId} and team.organization_id = ${organizationId} and team.deleted_at is null
    for no key update of team`.execute(transaction);
  return rows[0] ?? null;
}

/** Adds a key unless the team has reached its limit. The team must be locked. */
export async function createKey(
  transaction: TenantTransaction,
  key: NewKey,
  limit: number,
): Promise<{ readonly kind: "created" | "limit_reached" }> {
  const { count } = await transaction
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("organization_id", "=", key.organizationId)
    .where("team_id", "=", key.teamId)
    .where("revoked_at", "is", null)
    .executeTakeFirstOrThrow();
  if (count >= BigInt(limit)) return { kind: "limit_reached" };
  await insertKey(transaction, key);
  return { kind: "created" };
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
