import type { FailureClass } from "./failure-class.ts";
import type { GroupRules, RouteFailure, RouteTarget, RoutingOptions } from "./route-types.ts";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8_000;
const MAX_JITTER_MS = 750;
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Returns the number of retries that a group gets after this failure. The request's setting takes precedence; the
 * router's setting comes last.
 */
export function countRetries(
  target: RouteTarget,
  options: RoutingOptions,
  failure: RouteFailure,
  groupSize: number,
  rules: GroupRules,
): number {
  const { router } = rules;
  if (failure.class === "local") return 0;
  const ofPolicy = rules.retriesByClass[failure.class];
  if (ofPolicy === 0 || (ofPolicy === null && !isRetryable(failure.class, groupSize))) return 0;
  if (options.numRetries !== null) return Math.min(options.numRetries, router.maxRetriesPerRequest);
  return target.numRetries ?? ofPolicy ?? router.numRetries;
}

/** Reports whether a retry must use another deployment after this failure. */
export function needsAnotherTarget(failure: RouteFailure, rules: GroupRules): boolean {
  return failure.class === "authentication" && rules.retriesByClass.authentication === null;
}

/** Returns the wait before the same targets are retried; `retriesMade` counts the group's earlier retries. */
export function waitBeforeRetry(
  failure: RouteFailure,
  retriesMade: number,
  leastWaitMs: number,
  random: () => number,
): number {
  const { retryAfterMs } = failure;
  const waitMs = isFollowed(retryAfterMs) ? retryAfterMs : Math.min(FIRST_WAIT_MS * 2 ** retriesMade, MAX_WAIT_MS);
  return Math.max(waitMs, leastWaitMs) + random() * MAX_JITTER_MS;
}

/** Reports whether an upstream's Retry-After is followed. A value that is too long is ignored. */
export function isFollowed(retryAfterMs: number | null): retryAfterMs is number {
  return retryAfterMs !== null && retryAfterMs <= MAX_RETRY_AFTER_MS;
}

function isRetryable(kind: FailureClass, groupSize: number): boolean {
  switch (kind) {
    case "timeout":
    case "conflict":
    case "rate_limit":
    case "internal":
    case "unavailable":
    case "connection":
      return true;
    case "authentication":
      return groupSize > 1;
    default:
      return false;
  }
}
