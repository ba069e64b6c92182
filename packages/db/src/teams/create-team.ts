import { sql } from "kysely";
import { isDuplicate } from "../database-errors.ts";
import { addTeamMember } from "../members/change-team-member.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { insertTeam, type NewTeam } from "./insert-team.ts";

type CreateTeamOutcome = "created" | "limit_reached" | "name_taken";

/**
 * Adds a team, with its creator (if any) as administrator. Locks the quota row first, so that neither the balance nor
 * the number of teams can change concurrently. In an organization with a negative balance, the team starts blocked.
 * After `name_taken`, the transaction must be rolled back.
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
