import { isOfCaller } from "./failure-class.ts";
import { isFollowed } from "./retry-rules.ts";
import type { GroupRules, RouteFailure, RouteGroup, RouteTarget } from "./route-types.ts";
import { countsTowardCooldown } from "./target-state.ts";

const LEAST_FINISHED = 5;
const LEAST_FINISHED_ALONE = 1_000;
const CONNECTION_FAILURES_IN_A_ROW = 5;

/**
 * Counts a failure against its target, unless the request caused it, and starts a cooldown if the rules require it.
 * Returns the duration of the cooldown, or 0. `isProbe` is the return value of `begin` for the call.
 */
export function noteFailure<T extends RouteTarget>(
  group: RouteGroup<T>,
  target: T,
  failure: RouteFailure,
  nowMs: number,
  isProbe: boolean,
): number {
  // Otherwise, invalid requests of one client would hide or cause failures in the statistics of all clients.
  if (isOfCaller(failure.class) && group.rules.router.allowedFailsByClass[failure.class] === null) {
    if (failure.class !== "local") target.state.reach();
    return 0;
  }
  // Under a pattern, the client chose the model: an unknown model must not disable the deployment for other clients.
  if (failure.class === "not_found" && target.isNamedByClient) return 0;
  target.state.fail(nowMs, failure.class);
  // Ignore failures of calls that started before the cooldown. Otherwise, slow failures would keep a recovered target
  // in cooldown.
  const isLate = target.state.cooledUntilMs !== 0 && !isProbe && failure.class !== "rate_limit";
  if (isLate) return 0;
  const restMs = judgeFailure(target, failure, group.targets.length, isProbe, group.rules);
  if (restMs > 0) target.state.cool(nowMs, restMs);
  return restMs;
}

/** Returns the cooldown in milliseconds after a counted failure; 0 if the target stays available. */
function judgeFailure(
  target: RouteTarget,
  failure: RouteFailure,
  groupSize: number,
  isProbe: boolean,
  rules: GroupRules,
): number {
  if (rules.router.disableCooldowns || !isReason(target, failure, groupSize, isProbe, rules)) return 0;
  const { retryAfterMs } = failure;
  if (failure.class === "rate_limit" && isFollowed(retryAfterMs)) return retryAfterMs;
  return target.cooldownMs ?? rules.router.cooldownMs;
}

function isReason(
  target: RouteTarget,
  failure: RouteFailure,
  groupSize: number,
  isProbe: boolean,
  { router }: GroupRules,
): boolean {
  const { state } = target;
  const kind = failure.class;
  // A single connection failure says little about a deployment, and a group with one deployment has no alternative. But
  // if other deployments are available, each further failure would cost a caller a retry, so five consecutive failures
  // start a cooldown.
  if (kind === "connection") {
    const isDown = state.consecutiveConnectionFailures >= CONNECTION_FAILURES_IN_A_ROW;
    return isProbe || (groupSize > 1 && isDown);
  }
  if (isProbe && countsTowardCooldown(kind)) return true;
  const allowed = router.allowedFailsByClass[kind];
  if (allowed !== null) return state.failuresOf(kind) > allowed;
  if (!countsTowardCooldown(kind)) return false;
  if (router.allowedFails !== null) return state.failures > router.allowedFails;
  if (kind === "authentication" || kind === "not_found") return true;
  const isAlone = groupSize === 1;
  if (isAlone) return state.finished >= LEAST_FINISHED_ALONE && state.failures === state.finished;
  return kind === "rate_limit" || (state.finished >= LEAST_FINISHED && state.failures * 2 > state.finished);
}
