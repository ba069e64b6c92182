import { type BudgetScope, type BudgetWindow, windowAt } from "@tollgate/domain/credit/budget-window.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Caller, CallerBudget } from "../call/caller.ts";
import { MAX_SERIES } from "./series-family.ts";

/** Returns the remaining budget as known to this process; null if this process doesn't know it. */
export type FreeBudget = (organizationId: string, window: BudgetWindow) => NanoUsd | null;

/** Current state of a budget. Amounts are in USD. */
export interface BudgetState {
  readonly id: string;
  readonly alias: string;
  readonly maximum: number;
  readonly remaining: number | null;
  /** Null for a budget that never resets. */
  readonly remainingHours: number | null;
}

const NANO_PER_USD = 1e9;
const MS_PER_HOUR = 3_600_000;

/** Tracks callers' budgets. */
export class SeenBudgets {
  readonly #byOwner = new Map<string, { readonly organizationId: string; readonly budget: CallerBudget }>();

  see({ organizationId, budgets }: Caller): void {
    if (organizationId === null) return;
    for (const budget of budgets.budgets) {
      const owner = `${budget.scope}\n${budget.scopeId}`;
      if (this.#byOwner.size < MAX_SERIES || this.#byOwner.has(owner))
        this.#byOwner.set(owner, { organizationId, budget });
    }
  }

  /** Yields the current states of the budgets in one scope. */
  *statesOf(scope: BudgetScope, free: FreeBudget, nowMs: number): Generator<BudgetState> {
    for (const { organizationId, budget } of this.#byOwner.values()) {
      if (budget.scope !== scope) continue;
      const { scopeId, ownerName, limit, period } = budget;
      const window = { scope, scopeId, ...windowAt(period, nowMs) };
      const left = free(organizationId, window);
      yield {
        id: scopeId,
        alias: ownerName,
        maximum: Number(limit) / NANO_PER_USD,
        remaining: left === null ? null : Number(left) / NANO_PER_USD,
        remainingHours: Number.isFinite(window.endsAtMs) ? (window.endsAtMs - nowMs) / MS_PER_HOUR : null,
      };
    }
  }
}
