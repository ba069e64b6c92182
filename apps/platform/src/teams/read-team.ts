import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { toTeam } from "@tollgate/contracts/management/team.ts";
import { readBudgets } from "@tollgate/db/leases/read-budgets.ts";
import { findTeamOfMember, type TeamOfMember } from "@tollgate/db/teams/list-teams.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";

/** Returns a team with its budget, limited to what the member can see. */
export async function readTeam(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  userId: number,
  now: Date,
): Promise<object> {
  const team = await findTeamOfMember(transaction, organizationId, teamId, userId);
  if (team === null) throw unknownObject("team");
  const [answered] = await withBudgets(transaction, organizationId, [team], now);
  return answered ?? team;
}

/** Returns teams in one organization with their budgets. */
export async function withBudgets(
  transaction: TenantTransaction,
  organizationId: string,
  teams: readonly TeamOfMember[],
  now: Date,
): Promise<readonly object[]> {
  const ids = teams.map(({ id }) => id);
  const budgets = await readBudgets(transaction, organizationId, "team", ids, now);
  return teams.map((team) => toTeam(team, budgets.get(team.id) ?? null));
}
