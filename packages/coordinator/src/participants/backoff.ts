import type { RetryPlan } from "../plan/plan.ts";

/**
 * How long to wait before try number `attempt + 1`: doubling from the shortest to the longest pause, and a random half
 * of it, so that participants that failed together do not come back together. A wish of the far side is honoured up to
 * the longest pause.
 */
export function backoffMs(attempt: number, plan: RetryPlan, random: () => number, retryAfterMs = 0): number {
  const full = Math.min(plan.backoffMaxMs, plan.backoffMinMs * 2 ** (attempt - 1));
  return Math.min(plan.backoffMaxMs, Math.max(full / 2 + (full / 2) * random(), retryAfterMs));
}
