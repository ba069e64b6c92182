import type { RetryPlan } from "../plan/plan.ts";

/**
 * Returns the wait before attempt number `attempt + 1`. The wait grows exponentially from the minimum to the maximum
 * backoff, and half of it is random, so that participants that failed together don't retry together. Retry-After is
 * honored up to the maximum.
 */
export function backoffMs(attempt: number, plan: RetryPlan, random: () => number, retryAfterMs = 0): number {
  const full = Math.min(plan.backoffMaxMs, plan.backoffMinMs * 2 ** (attempt - 1));
  return Math.min(plan.backoffMaxMs, Math.max(full / 2 + (full / 2) * random(), retryAfterMs));
}
