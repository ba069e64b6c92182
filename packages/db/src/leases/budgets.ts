import type { BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface Budget {
  readonly scope: BudgetScope;
  /** ID of the key, team, user, or organization. */
  readonly scopeId: string;
  readonly amount: NanoUsd;
  /** Budget period in the format that `parsePeriod` reads. */
  readonly period: string;
}

/** Sets the budget of a key, team, user, or organization, replacing any existing budget. */
export async function setBudget(
  transaction: TenantTransaction,
  budget: Budget & { readonly organizationId: string },
): Promise<void> {
  const { organizationId, scope, scopeId, amount, period } = budget;
  await transaction
    .insertInto("budgets")
    .values({ organization_id: organizationId, scope, scope_id: scopeId, amount, period })
    .onConflict((conflict) =>
      conflict
        .columns(["organization_id", "scope", "scope_id"])
        .doUpdateSet({ amount, period, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Removes a budget. Its spend stays recorded, in case the budget is set again within the window. */
export async function removeBudget(
  transaction: TenantTransaction,
  organizationId: string,
  budget: Pick<Budget, "scope" | "scopeId">,
): Promise<void> {
  await transaction
    .deleteFrom("budgets")
    .where("organization_id", "=", organizationId)
    .where("scope", "=", budget.scope)
    .where("scope_id", "=", budget.scopeId)
    .execute();
}
