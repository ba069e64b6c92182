import { Failure } from "@tollgate/contracts/failures.ts";
import { removeBudget, setBudget } from "@tollgate/db/leases/budgets.ts";
import type { BudgetPatch, RecordBudget } from "@tollgate/gateway/management/management.ts";
import type { OwnerContext } from "./run-as-key-creator.ts";

/** Creates, updates, or deletes the budget of a key or team. Fields not in the patch stay unchanged. */
export async function writeBudget(
  { transaction }: OwnerContext,
  owner: { readonly scope: "key" | "team"; readonly organizationId: string; readonly id: string },
  patch: BudgetPatch,
  before: RecordBudget | null,
): Promise<void> {
  const { scope, organizationId, id: scopeId } = owner;
  const amount = patch.limit === undefined ? (before?.limit ?? null) : patch.limit;
  if (amount === null) {
    if (patch.limit === undefined && typeof patch.period === "string") {
      throw new Failure("invalid_request", "budget_duration requires max_budget.", {
        param: "budget_duration",
      });
    }
    await removeBudget(transaction, organizationId, { scope, scopeId });
    return;
  }
  const period = (patch.period === undefined ? before?.period : patch.period) ?? "none";
  await setBudget(transaction, { organizationId, scope, scopeId, amount, period });
}
