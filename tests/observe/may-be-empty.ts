/** Metrics that an instance in a test has nothing to tell of, and why. An expression over one of them may be empty. */
export const mayBeEmpty: Readonly<Record<string, string>> = {
  gw_certificate_expiry_timestamp_seconds: "the listener of `tollgate dev` speaks plain HTTP",
  gw_remaining_org_budget_metric: "the organization of `tollgate dev` has no budget",
};

/** Whether an expression has a reason to select nothing. */
export function hasReasonToBeEmpty(expression: string): boolean {
  return Object.keys(mayBeEmpty).some((name) => new RegExp(`\\b${name}\\b`).test(expression));
}
