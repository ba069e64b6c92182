import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { insertKey, type NewKey } from "./insert-key.ts";

/** The models that no key of a team reaches beyond; an empty list bounds nothing. */
export interface KeyBounds {
  readonly teamModels: readonly string[];
  readonly organizationModels: readonly string[];
}

/** The team that a key is to be made in. */
export interface KeyTeamState extends KeyBounds {
  /** Of the person who makes it; null when they are in the organization only. */
  readonly role: TeamRole | null;
}

/**
 * The team, held until this transaction ends: no other key is made in it and it is not deleted meanwhile. Null when the
 * organization has no such team.
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

/** Adds a key unless the team has as many as it may have. The team must be held. */
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

/** What bounds the keys of a team that exists. */
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
