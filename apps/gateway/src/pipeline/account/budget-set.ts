import { type BudgetPeriod, type BudgetScope, windowAt } from "@tollgate/domain/credit/budget-window.ts";
import type { HeldBudget } from "@tollgate/domain/credit/hold.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";

/** A spending limit on a caller's key, team, user, or organization. */
export interface CallerBudget {
  readonly scope: BudgetScope;
  readonly scopeId: string;
  /** Name of the budget's owner in refusal messages. */
  readonly ownerName: string;
  readonly limit: NanoUsd;
  readonly period: BudgetPeriod;
}

/** The budgets that a caller spends from. The budget windows change at most every few seconds, so they are cached. */
export class BudgetSet {
  readonly budgets: readonly CallerBudget[];
  #windows: readonly HeldBudget[] = [];
  #startsAtMs = 0;
  #endsAtMs = 0;

  constructor(budgets: readonly CallerBudget[]) {
    this.budgets = budgets;
  }

  /** Returns the windows that a call at this time belongs to, in budget order. */
  windowsAt(atMs: number): readonly HeldBudget[] {
    if (this.budgets.length === 0) return this.#windows;
    if (atMs >= this.#startsAtMs && atMs < this.#endsAtMs) return this.#windows;
    this.#windows = this.budgets.map(({ scope, scopeId, limit, period }) => ({
      window: { scope, scopeId, ...windowAt(period, atMs) },
      limit,
    }));
    this.#startsAtMs = Math.max(...this.#windows.map(({ window }) => window.startsAtMs));
    this.#endsAtMs = Math.min(...this.#windows.map(({ window }) => window.endsAtMs));
    return this.#windows;
  }
}
