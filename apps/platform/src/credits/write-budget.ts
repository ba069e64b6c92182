import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { removeBudget, setBudget } from "@tollgate/db/leases/budgets.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";

/** A budget to set. Without a limit, there is no budget. */
export interface BudgetTerms {
  readonly limit: NanoUsd | null;
  /** Budget period in the format that `parsePeriod` reads; by default, the budget never resets. */
  readonly period?: string;
}

/** Sets or removes the budget of a key or team. `undefined` leaves the budget unchanged. */
export async function writeBudget(
  transaction: TenantTransaction,
  owner: { readonly organizationId: string; readonly scope: "key" | "team"; readonly scopeId: string },
  budget: BudgetTerms | null | undefined,
): Promise<void> {
  if (budget === undefined) return;
  if (budget === null || budget.limit === null) {
    await removeBudget(transaction, owner.organizationId, owner);
    return;
  }
  const { limit: amount, period = "none" } = budget;
  if (amount < 0n) throw invalidField("budget.limit", "must not be negative");
  await setBudget(transaction, { ...owner, amount, period });
}
