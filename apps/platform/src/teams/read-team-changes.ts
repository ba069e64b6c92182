import type { BudgetInput } from "@tollgate/contracts/management/budget.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import type { TeamChange } from "@tollgate/contracts/management/team.ts";
import type { TeamChanges } from "@tollgate/db/teams/update-team.ts";

/** Converts a request body to team changes. A null `rateLimit` removes all three rate limits. */
export function readTeamChanges({ name, models, rateLimit }: TeamChange): TeamChanges {
  const limits = rateLimit === null ? { rpm: null, tpm: null, maxParallel: null } : (rateLimit ?? {});
  if (models !== undefined && models !== null && models.length === 0) {
    throw invalidField("models", "must name a model; null allows all models");
  }
  return {
    ...(name !== undefined && { name }),
    ...(models !== undefined && { models: [...new Set(models ?? [])] }),
    ...limits,
  };
}

/** Checks a budget. A budget without a limit means no budget. `undefined` leaves the budget unchanged. */
export function checkBudget(budget: BudgetInput | null | undefined): void {
  if (budget === undefined || budget === null || budget.limit === null) return;
  if (budget.limit < 0n) throw invalidField("budget.limit", "must not be negative");
}
