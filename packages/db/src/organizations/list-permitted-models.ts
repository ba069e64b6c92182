import type { TenantTransaction } from "../tenancy.ts";

/**
 * Models that a team can use, according to its own list and its organization's list. An empty list allows all models.
 */
interface PermittedModels {
  readonly team: readonly string[];
  readonly organization: readonly string[];
}

/** Lists the models allowed for an organization's teams: all teams, or those that a user belongs to. */
export async function listPermittedModels(
  transaction: TenantTransaction,
  organizationId: string,
  memberId: number | null,
): Promise<readonly PermittedModels[]> {
  let query = transaction
    .selectFrom("teams as team")
    .innerJoin("organizations as organization", "organization.id", "team.organization_id")
    .select(["team.models as team", "organization.models as organization"])
    .where("team.organization_id", "=", organizationId)
    .where("team.deleted_at", "is", null);
  if (memberId !== null) {
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom("team_members as member")
          .select("member.user_id")
          .whereRef("member.team_id", "=", "team.id")
          .where("member.user_id", "=", memberId),
      ),
    );
  }
  return query.distinct().execute();
}
