import type { BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface Budget {
  readonly scope: BudgetScope;
  /** Of the key, team, user or organization itself. */
  readonly scopeId: string;
  readonly amount: NanoUsd;
  /** As `parsePeriod` reads it. */
  readonly period: string;
}

/** Limits what a key, team, user or organization may spend, in place of any limit it had. */
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

/** Ends a limit. What was spent under it stays known, should it be set again within its window. */
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
