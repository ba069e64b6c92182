export interface PlanProblem {
  /** Path in the plan: `participants[2].url`. Empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  /** Suggested fix. */
  readonly fix: string;
}

/** A plan that cannot be run, with all of its problems. */
export class PlanError extends Error {
  readonly problems: readonly PlanProblem[];

  constructor(problems: readonly PlanProblem[]) {
    super(problems.map(describeProblem).join("\n"));
    this.name = "PlanError";
    this.problems = problems;
  }
}

/** Formats one problem as one line. */
function describeProblem({ path, message, fix }: PlanProblem): string {
  return `${path === "" ? "plan" : path}: ${message}. ${fix}`;
}
