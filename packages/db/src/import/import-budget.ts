import type { BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { removeBudget, setBudget } from "../leases/budgets.ts";
import type { TenantTransaction } from "../tenancy.ts";

export interface BudgetImport {
  readonly amount: NanoUsd;
  /** Budget period in the format that `parsePeriod` reads. */
  readonly period: string;
}

/** Sets or removes the owner's budget and reports whether anything changed. */
export async function importBudget(
  transaction: TenantTransaction,
  owner: { readonly organizationId: string; readonly scope: BudgetScope; readonly scopeId: string },
  wanted: BudgetImport | null,
): Promise<boolean> {
  const current = await transaction
    .selectFrom("budgets")
    .select(["amount", "period"])
    .where("organization_id", "=", owner.organizationId)
    .where("scope", "=", owner.scope)
    .where("scope_id", "=", owner.scopeId)
    .executeTakeFirst();
  if (wanted === null) {
    if (current === undefined) return false;
    await removeBudget(transaction, owner.organizationId, owner);
    return true;
  }
  if (current?.amount === wanted.amount && current.period === wanted.period) return false;
  await setBudget(transaction, { ...owner, ...wanted });
  return true;
}
