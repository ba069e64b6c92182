import type { GroupRules, RouteGroup, RouteTarget } from "./route-types.ts";
import type { RetryBudget } from "./target-state.ts";

/** Creates the group of targets for a name, with all data for choosing a target precomputed. */
export function createRouteGroup<T extends RouteTarget>(
  name: string,
  targets: readonly T[],
  rules: GroupRules,
  budget: RetryBudget,
): RouteGroup<T> {
  for (const target of targets) {
    target.state.isShared = needsSharedCounts(target, rules);
    if (rules.strategy === "latency-based-routing") target.state.measureLatency(rules.latencyCount);
  }
  return { name, targets, rules, budget, isPlain: isPlain(targets, rules), weights: targetWeights(targets) };
}

/** Reports whether targets at their rpm or tpm limit are excluded, even if no target is left. */
export function limitsRates(rules: GroupRules): boolean {
  return rules.router.enforcesRateLimits || rules.strategy === "usage-based-routing-v2";
}

/**
 * Returns the weights for `simple-shuffle`: the first of weight, rpm, and tpm that any target sets; null if the weights
 * are equal.
 */
export function targetWeights(targets: readonly RouteTarget[]): readonly number[] | null {
  for (const field of ["weight", "rpm", "tpm"] as const) {
    if (!targets.some((target) => target[field] !== null)) continue;
    const weights = targets.map((target) => target[field] ?? 0);
    return weights.some((weight) => weight > 0) ? weights : null;
  }
  return null;
}

/** Reports whether a target's counts affect routing and must be shared among replicas. */
function needsSharedCounts({ rpm, tpm }: RouteTarget, rules: GroupRules): boolean {
  if (rules.strategy === "usage-based-routing-v2") return true;
  if (rpm === null && tpm === null) return false;
  return limitsRates(rules) || rules.strategy === "cost-based-routing" || rules.router.checksBeforeCall;
}

function isPlain(targets: readonly RouteTarget[], rules: GroupRules): boolean {
  const { filtersTags, checksBeforeCall, usesHealthChecks } = rules.router;
  if (filtersTags || checksBeforeCall || usesHealthChecks) return false;
  const hasLevels = targets.some((target) => target.order !== targets[0]?.order);
  const hasSlots = targets.some((target) => target.maxParallel !== null);
  const needsRoom = limitsRates(rules) || rules.strategy === "cost-based-routing";
  const hasRates = needsRoom && targets.some((target) => target.rpm !== null || target.tpm !== null);
  return !hasLevels && !hasSlots && !hasRates;
}
