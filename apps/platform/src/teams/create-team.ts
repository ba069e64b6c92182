import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { createTeam as storeTeam } from "@tollgate/db/teams/create-team.ts";
import type { NewTeam } from "@tollgate/db/teams/insert-team.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { ChangeAuthor } from "../audit-actor.ts";
import { type BudgetTerms, writeBudget } from "../credits/write-budget.ts";

interface TeamToCreate extends NewTeam {
  /** The user who becomes the team's administrator; null if the creator isn't a member of the organization. */
  readonly creatorId: number | null;
  readonly budget?: BudgetTerms | null | undefined;
}

interface TeamCreation extends ChangeAuthor {
  readonly limits: { readonly teamsPerOrganization: number };
  /** Fields of the new team in the audit log. */
  readonly audited: Readonly<Record<string, unknown>>;
  /** Adds the first members other than the creator. Their audit entries come before the team's. */
  readonly addMembers?: () => Promise<void>;
}

/** Creates a team. Every interface creates teams with this function. */
export async function createTeam(
  transaction: TenantTransaction,
  { budget, ...team }: TeamToCreate,
  { limits, audited, addMembers, actor, subjects = [] }: TeamCreation,
  now: Date,
): Promise<void> {
  const { id, organizationId } = team;
  const outcome = await storeTeam(transaction, team, limits, now);
  if (outcome === "limit_reached") {
    throw new Failure(
      "LIMIT_REACHED",
      `The organization has reached its limit of ${limits.teamsPerOrganization} teams. Delete one first.`,
    );
  }
  if (outcome === "name_taken") throw teamNameTaken();
  await writeBudget(transaction, { organizationId, scope: "team", scopeId: id }, budget);
  await addMembers?.();
  await writeAudit(transaction, {
    organizationId,
    actor,
    subjects,
    action: "team.created",
    target: { type: "team", id },
    after: { ...audited, creatorId: team.creatorId },
  });
}

export function teamNameTaken(): Failure {
  return new Failure("NAME_TAKEN", "Another team in the organization has this name. Choose another name.");
}
