import { type AuditEntry, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { updateTeam as changeTeam, type TeamChanges } from "@tollgate/db/teams/update-team.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { ChangeAuthor } from "../audit-actor.ts";
import { type BudgetTerms, writeBudget } from "../credits/write-budget.ts";
import { teamNameTaken } from "./create-team.ts";

/** A team and its organization. */
export interface TeamRef {
  readonly organizationId: string;
  readonly teamId: string;
}

/** Changes to a team. Absent fields stay unchanged. */
interface TeamUpdate {
  readonly changes: TeamChanges;
  readonly budget?: BudgetTerms | null | undefined;
}

/** What an interface shows of the change: the team's new state, and the changed fields in the audit log. */
interface ShownTeamChange<Team> {
  readonly read: () => Promise<Team>;
  readonly audited: (after: Team) => Pick<AuditEntry, "before" | "after">;
}

/** Updates a team, writes an audit entry, and returns the team's new state. */
export async function updateTeam<Team>(
  transaction: TenantTransaction,
  { organizationId, teamId }: TeamRef,
  { changes, budget }: TeamUpdate,
  { read, audited }: ShownTeamChange<Team>,
  { actor, subjects = [] }: ChangeAuthor,
  now: Date,
): Promise<Team> {
  const outcome = await changeTeam(transaction, organizationId, teamId, changes, now);
  if (outcome === "name_taken") throw teamNameTaken();
  await writeBudget(transaction, { organizationId, scope: "team", scopeId: teamId }, budget);
  const after = await read();
  await writeAudit(transaction, {
    organizationId,
    actor,
    subjects,
    action: "team.updated",
    target: { type: "team", id: teamId },
    ...audited(after),
  });
  return after;
}
