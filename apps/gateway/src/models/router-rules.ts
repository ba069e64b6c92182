import type { ByClass, GroupRules, RouterRules } from "@tollgate/domain/routing/route-types.ts";
import type { ErrorPolicy, RouterSettings } from "@tollgate/runtime/settings/settings.ts";

/**
 * Creates a function that returns a group's routing rules, which are computed once per group. A name that matches a
 * pattern uses the pattern's rules, unless rules are configured for that name.
 */
export function createRuleBook(router: RouterSettings): (name: string, configuredName: string) => GroupRules {
  const rules = toRouterRules(router);
  const known = new Map<string, GroupRules>();
  const named = new Set([
    ...router.routingGroups.flatMap(({ models }) => models),
    ...Object.keys(router.modelGroupRetryPolicy),
  ]);
  const usual = toGroupRules(router, rules, null);
  return (name, configuredName) => {
    const groupName = named.has(name) ? name : configuredName;
    if (!named.has(groupName)) return usual;
    const made = known.get(groupName) ?? toGroupRules(router, rules, groupName);
    known.set(groupName, made);
    return made;
  };
}

function toGroupRules(router: RouterSettings, rules: RouterRules, groupName: string | null): GroupRules {
  const own = router.routingGroups.find(({ models }) => groupName !== null && models.includes(groupName));
  const { routingStrategy, strategy } = own ?? router;
  const hasPolicy = groupName !== null && Object.hasOwn(router.modelGroupRetryPolicy, groupName);
  const ofGroup = hasPolicy ? byClass(router.modelGroupRetryPolicy[groupName] as ErrorPolicy) : null;
  const general = byClass(router.retryPolicy);
  return {
    router: rules,
    strategy: routingStrategy,
    latencyTtlMs: strategy.ttlSeconds * 1_000,
    latencyBuffer: strategy.lowestLatencyBuffer,
    latencyCount: strategy.maxLatencyListSize,
    retriesByClass: ofGroup === null ? general : complete(ofGroup, general),
  };
}

function toRouterRules(router: RouterSettings): RouterRules {
  return {
    numRetries: router.numRetries,
    maxRetriesPerRequest: router.maxNumRetriesPerRequest,
    maxUpstreamCalls: router.maxUpstreamCalls,
    leastRetryWaitMs: router.retryAfterSeconds * 1_000,
    cooldownMs: router.cooldownSeconds * 1_000,
    disableCooldowns: router.disableCooldowns,
    allowedFails: router.allowedFails,
    allowedFailsByClass: byClass(router.allowedFailsPolicy),
    checksBeforeCall: router.enablePreCallChecks,
    enforcesRateLimits: router.optionalPreCallChecks.includes("enforce_model_rate_limits"),
    filtersTags: router.enableTagFiltering,
    matchesAnyTag: router.tagFilteringMatchAny,
    usesHealthChecks: router.enableHealthCheckRouting,
    fallbacks: router.fallbacks,
    contextWindowFallbacks: router.contextWindowFallbacks,
    contentPolicyFallbacks: router.contentPolicyFallbacks,
    defaultFallbacks: router.defaultFallbacks,
    maxFallbacks: router.maxFallbacks,
  };
}

/**
 * Maps an error policy to failure classes. The settings have a single value for internal errors, connection errors, and
 * unavailability.
 */
function byClass(policy: ErrorPolicy): ByClass {
  return {
    bad_request: policy.badRequest,
    authentication: policy.authentication,
    not_found: null,
    timeout: policy.timeout,
    conflict: null,
    rate_limit: policy.rateLimit,
    context_window: null,
    content_policy: policy.contentPolicyViolation,
    unprocessable: policy.badRequest,
    internal: policy.internalServer,
    unavailable: policy.internalServer,
    connection: policy.internalServer,
    local: null,
  };
}

function complete(own: ByClass, general: ByClass): ByClass {
  const entries = Object.entries(own).map(([name, value]) => [name, value ?? general[name as keyof ByClass]]);
  return Object.fromEntries(entries) as ByClass;
}
