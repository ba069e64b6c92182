import { sql } from "kysely";
import { isDuplicate } from "../database-away.ts";
import { addTeamMember } from "../members/change-team-member.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { insertTeam, type NewTeam } from "./insert-team.ts";

export type CreateTeamOutcome = "created" | "limit_reached" | "name_taken";

/**
 * Adds a team, its maker, if a person made it, as its administrator. The quota row is locked first, so that neither a debt nor another team can
 * come in between: in an organization with debts the team starts blocked. After `name_taken` the transaction is lost.
 */
export async function createTeam(
  transaction: TenantTransaction,
  team: NewTeam & { readonly creatorId: number | null },
  limits: { readonly teamsPerOrganization: number },
  now: Date,
): Promise<CreateTeamOutcome> {
  const { organizationId } = team;
  await sql`select lock_quota(${organizationId})`.execute(transaction);
  const { teams } = await transaction
    .selectFrom("teams")
    .select((select) => select.fn.countAll<bigint>().as("teams"))
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  if (teams >= limits.teamsPerOrganization) return "limit_reached";
  try {
    await insertTeam(transaction, team);
  } catch (error) {
    if (isDuplicate(error, "teams_name")) return "name_taken";
    throw error;
  }
  if (team.creatorId !== null) {
    await addTeamMember(transaction, organizationId, { teamId: team.id, userId: team.creatorId, role: "admin", now });
  }
  return "created";
}
