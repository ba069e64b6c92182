import { Failure } from "@tollgate/contracts/failures.ts";
import type { BudgetState } from "@tollgate/db/leases/read-budgets.ts";
import type { BudgetTerms } from "../credits/write-budget.ts";
import type { BudgetPatch } from "./read-limits.ts";

/** Applies a patch to the budget of a key or team. Fields not in the patch stay unchanged. */
export function mergeBudget(patch: BudgetPatch, before: BudgetState | null): BudgetTerms {
  const limit = patch.limit === undefined ? (before?.limit ?? null) : patch.limit;
  if (limit === null && patch.limit === undefined && typeof patch.period === "string") {
    throw new Failure("invalid_request", "budget_duration requires max_budget.", { param: "budget_duration" });
  }
  return { limit, period: (patch.period === undefined ? before?.period : patch.period) ?? "none" };
}
