export interface Budget {
  readonly direct: number;
  readonly total: number;
  /** Allowed number above `total`, with its reason. */
  readonly allowedTotal?: number;
  readonly reason?: string;
}

/** Reports if production has more packages than budgeted. */
export function findOverspentBudget(count: { direct: number; total: number }, budget: Budget): string[] {
  const problems: string[] = [];
  if (count.direct > budget.direct)
    problems.push(`${count.direct} direct dependencies, and ${budget.direct} are the most`);
  const isExplained = (budget.reason ?? "").length >= 40;
  const most = isExplained ? (budget.allowedTotal ?? budget.total) : budget.total;
  if (count.total > most) {
    problems.push(
      `${count.total} packages in production, and ${most} are the most; a change needs a written reason in budget.json`,
    );
  }
  return problems;
}
