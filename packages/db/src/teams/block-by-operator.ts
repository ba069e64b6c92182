import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A team as shown to the operator. */
export interface AnyTeam {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly status: "active" | "blocked";
  readonly blockedReason: string | null;
  readonly blockedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const columns = sql`id, organization_id as "organizationId", name, status, blocked_reason as "blockedReason",
  blocked_at as "blockedAt", created_at as "createdAt", updated_at as "updatedAt"`;

/** Lists all of an organization's teams that have not been deleted. */
export async function listTeamsOfOrganization(
  transaction: TenantTransaction,
  organizationId: string,
): Promise<readonly AnyTeam[]> {
  const { rows } = await sql<AnyTeam>`
    select ${columns} from teams
    where organization_id = ${organizationId} and deleted_at is null order by created_at, id`.execute(transaction);
  return rows;
}

/**
 * Locks the organization's balance and then the team, in the same order as settlement. Returns null if there is no such
 * team.
 */
export async function holdTeam(
  transaction: TenantTransaction,
  teamId: string,
): Promise<{ readonly team: AnyTeam; readonly isInDebt: boolean } | null> {
  const known = await transaction
    .selectFrom("teams")
    .select("organization_id")
    .where("id", "=", teamId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (known === undefined) return null;
  const locked = await sql<{ isInDebt: boolean }>`
    select lock_quota(${known.organization_id}) < 0 as "isInDebt"`.execute(transaction);
  const { rows } = await sql<AnyTeam>`
    select ${columns} from teams where id = ${teamId} and deleted_at is null for no key update`.execute(transaction);
  const [team] = rows;
  return team === undefined ? null : { team, isInDebt: locked.rows[0]?.isInDebt === true };
}

/** Blocks a team that the caller has locked. A purchase doesn't lift this block. */
export async function blockByOperator(transaction: TenantTransaction, teamId: string, now: Date): Promise<AnyTeam> {
  const { rows } = await sql<AnyTeam>`
    update teams set status = 'blocked', blocked_reason = 'admin', blocked_at = ${now}, updated_at = ${now}
    where id = ${teamId} returning ${columns}`.execute(transaction);
  return rows[0] as AnyTeam;
}

/** Lifts a block. If the organization has a negative balance, the general rule then blocks the team again. */
export async function unblockByOperator(transaction: TenantTransaction, teamId: string, now: Date): Promise<AnyTeam> {
  const { rows } = await sql<AnyTeam>`
    update teams set status = 'active', blocked_reason = null, blocked_at = null, updated_at = ${now}
    where id = ${teamId} returning ${columns}`.execute(transaction);
  return rows[0] as AnyTeam;
}
