import { createRouteGroup } from "./create-route-group.ts";
import { type FailureClass, failureClasses } from "./failure-class.ts";
import type { ByClass, GroupRules, RouteGroup, RouterRules, RouteTarget } from "./route-types.ts";
import { RetryBudget, TargetState } from "./target-state.ts";

/** A time well inside a minute. */
export const START_MS = Date.UTC(2026, 0, 15, 12, 0, 5);

export function byClass(values: Partial<Record<FailureClass, number>> = {}): ByClass {
  return Object.fromEntries(failureClasses.map((name) => [name, values[name] ?? null])) as ByClass;
}

/** Returns the default router rules with these changes. */
export function routerRules(changes: Partial<RouterRules> = {}): RouterRules {
  return {
    numRetries: 2,
    maxRetriesPerRequest: 10,
    maxUpstreamCalls: 6,
    leastRetryWaitMs: 0,
    cooldownMs: 5_000,
    disableCooldowns: false,
    allowedFails: null,
    allowedFailsByClass: byClass(),
    checksBeforeCall: false,
    enforcesRateLimits: false,
    filtersTags: false,
    matchesAnyTag: true,
    usesHealthChecks: false,
    fallbacks: {},
    contextWindowFallbacks: {},
    contentPolicyFallbacks: {},
    defaultFallbacks: [],
    maxFallbacks: 5,
    ...changes,
  };
}

export function groupRules(
  changes: Partial<GroupRules> & { readonly inRouter?: Partial<RouterRules> } = {},
): GroupRules {
  const { inRouter, ...own } = changes;
  return {
    router: routerRules(inRouter),
    strategy: "simple-shuffle",
    latencyTtlMs: 3_600_000,
    latencyBuffer: 0,
    latencyCount: 10,
    retriesByClass: byClass(),
    ...own,
  };
}

export function makeTarget(id: string, changes: Partial<RouteTarget> = {}): RouteTarget {
  return {
    id,
    weight: null,
    rpm: null,
    tpm: null,
    maxParallel: null,
    order: null,
    tags: [],
    region: null,
    maxInputTokens: null,
    cooldownMs: null,
    numRetries: null,
    priceSum: null,
    supportsResponseSchema: true,
    isNamedByClient: false,
    state: new TargetState(id),
    ...changes,
  };
}

export function makeGroup(
  targets: readonly RouteTarget[],
  rules: GroupRules = groupRules(),
  name = "g",
): RouteGroup<RouteTarget> {
  return createRouteGroup(name, targets, rules, new RetryBudget());
}

/** Returns a deterministic random number generator. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
