/**
 * Metrics that have no data in a test instance, with the reason. An expression that uses one of these metrics may be
 * empty.
 */
export const mayBeEmpty: Readonly<Record<string, string>> = {
  gw_certificate_expiry_timestamp_seconds: "the listener of `tollgate dev` speaks plain HTTP",
  gw_remaining_org_budget_metric: "the organization of `tollgate dev` has no budget",
};

/** Reports whether an expression is expected to be empty. */
export function hasReasonToBeEmpty(expression: string): boolean {
  return Object.keys(mayBeEmpty).some((name) => new RegExp(`\\b${name}\\b`).test(expression));
}
