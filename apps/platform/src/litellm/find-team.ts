import { Failure } from "@tollgate/contracts/failures.ts";
import { findOrganizationOfTeam } from "@tollgate/db/teams/list-teams.ts";
import { listManagedTeams } from "@tollgate/db/teams/managed-teams.ts";
import type { TeamRef } from "../teams/update-team.ts";
import { absent, type OwnerContext } from "./run-as-key-creator.ts";

/**
 * Returns the team for a new key: the team in the request, otherwise the calling key's team, otherwise the only team.
 */
export async function findTeamOfKey(acting: OwnerContext, named: string | undefined): Promise<TeamRef> {
  const teamId = named ?? acting.manager.teamId;
  if (teamId !== null) return placeOf(acting, teamId);
  const everywhere = { organizationId: null, ids: null, memberId: null, name: null };
  const { teams } = await listManagedTeams(acting.transaction, everywhere, { limit: 2, offset: 0, now: acting.now });
  const [only, other] = teams;
  if (only !== undefined && other === undefined) return { organizationId: only.organizationId, teamId: only.id };
  throw new Failure(
    "invalid_request",
    only === undefined
      ? "There is no team. Each key belongs to a team, whose organization pays for its requests."
      : "team_id is required, because there are several teams. Each key belongs to a team, whose organization pays for its requests.",
    {
      param: "team_id",
      fix: only === undefined ? "Create a team with POST /team/new." : "Set team_id. GET /team/list lists the teams.",
    },
  );
}

/** Returns a team that the manager can access, with its organization. */
export async function placeOf({ transaction, member }: OwnerContext, teamId: string): Promise<TeamRef> {
  const organizationId = await findOrganizationOfTeam(transaction, teamId);
  if (organizationId === null || (member !== null && member.organizationId !== organizationId)) throw absent("team");
  return { organizationId, teamId };
}

/**
 * Returns the organization for a new team: the organization in the request, otherwise the calling key's organization,
 * otherwise the only organization.
 */
export async function findOrganization(acting: OwnerContext, named: string | undefined): Promise<string> {
  const { transaction, member, manager } = acting;
  const wanted = named ?? member?.organizationId ?? manager.organizationId;
  const found = await transaction
    .selectFrom("organizations")
    .select("id")
    .where("status", "=", "active")
    .$if(wanted !== null, (query) => query.where("id", "=", wanted))
    .limit(2)
    .execute();
  const [only, other] = found;
  if (wanted === null && (only === undefined || other !== undefined)) {
    throw new Failure("invalid_request", "organization_id is required unless there is exactly one organization.", {
      param: "organization_id",
    });
  }
  if (only === undefined || (member !== null && member.organizationId !== only.id)) throw absent("organization");
  return only.id;
}
