import { redisUrl } from "./redis-url.ts";
import type { GatewaySection } from "./schema/gateway-section.ts";
import type { Fallbacks, RouterSection } from "./schema/router-section.ts";
import type { ErrorPolicy, FallbackLists, RouterSettings, RoutingStrategy, StrategySettings } from "./settings.ts";

const DEFAULT_RETRIES = 2;
const DEFAULT_COOLDOWN_SECONDS = 5;

/**
 * Converts the `router_settings` section, including the router settings that LiteLLM files define under
 * `litellm_settings`.
 */
export function buildRouter(section: RouterSection, gateway: GatewaySection): RouterSettings {
  return {
    routingStrategy: nameStrategy(section.routing_strategy),
    strategy: buildStrategy(section.routing_strategy_args),
    routingGroups: section.routing_groups.map((group) => ({
      name: group.group_name,
      models: group.models,
      routingStrategy: nameStrategy(group.routing_strategy),
      strategy: buildStrategy(group.routing_strategy_args),
    })),
    modelGroupAlias: buildAliases(section.model_group_alias),
    fallbacks: joinFallbacks(section.fallbacks ?? gateway.fallbacks),
    contextWindowFallbacks: joinFallbacks(section.context_window_fallbacks ?? gateway.context_window_fallbacks),
    contentPolicyFallbacks: joinFallbacks(section.content_policy_fallbacks ?? gateway.content_policy_fallbacks),
    defaultFallbacks: section.default_fallbacks ?? gateway.default_fallbacks ?? [],
    maxFallbacks: section.max_fallbacks,
    midStreamFallback: section.mid_stream_fallback,
    numRetries: section.num_retries ?? gateway.num_retries ?? DEFAULT_RETRIES,
    maxNumRetriesPerRequest: section.max_num_retries_per_request,
    maxUpstreamCalls: section.max_upstream_calls,
    retryAfterSeconds: section.retry_after,
    retryPolicy: buildRetryPolicy(section.retry_policy),
    modelGroupRetryPolicy: mapValues(section.model_group_retry_policy, buildRetryPolicy),
    timeoutSeconds: section.timeout,
    streamTimeoutSeconds: section.stream_timeout,
    totalTimeoutSeconds: section.total_timeout,
    allowedFails: section.allowed_fails ?? gateway.allowed_fails,
    allowedFailsPolicy: buildFailsPolicy(section.allowed_fails_policy),
    cooldownSeconds: section.cooldown_time ?? gateway.cooldown_time ?? DEFAULT_COOLDOWN_SECONDS,
    disableCooldowns: section.disable_cooldowns,
    enablePreCallChecks: section.enable_pre_call_checks,
    optionalPreCallChecks: section.optional_pre_call_checks,
    deploymentAffinitySeconds: section.deployment_affinity_ttl_seconds,
    enableTagFiltering: section.enable_tag_filtering,
    tagFilteringMatchAny: section.tag_filtering_match_any,
    enableHealthCheckRouting: section.enable_health_check_routing,
    redisUrl: redisUrl({
      url: section.redis_url,
      host: section.redis_host,
      port: section.redis_port,
      password: section.redis_password,
      db: section.redis_db,
    }),
  };
}

/** Merges fallback lists, given as one or several mappings. If a group is named twice, the first list wins. */
function joinFallbacks(written: Fallbacks): FallbackLists {
  const lists = new Map<string, readonly string[]>();
  for (const part of isMapping(written) ? [written] : (written ?? [])) {
    for (const [group, targets] of Object.entries(part)) if (!lists.has(group)) lists.set(group, targets);
  }
  return Object.fromEntries(lists);
}

function isMapping(written: Fallbacks): written is FallbackLists {
  return written !== null && !Array.isArray(written);
}

function buildAliases(written: RouterSection["model_group_alias"]): RouterSettings["modelGroupAlias"] {
  return mapValues(written, (alias) => (typeof alias === "string" ? { model: alias, hidden: false } : { ...alias }));
}

function nameStrategy(written: RouterSection["routing_strategy"]): RoutingStrategy {
  return written === "usage-based-routing" ? "usage-based-routing-v2" : written;
}

function buildStrategy(written: RouterSection["routing_strategy_args"]): StrategySettings {
  return {
    ttlSeconds: written.ttl,
    lowestLatencyBuffer: written.lowest_latency_buffer,
    maxLatencyListSize: written.max_latency_list_size,
  };
}

function buildRetryPolicy(written: RouterSection["retry_policy"]): ErrorPolicy {
  return {
    badRequest: written.BadRequestErrorRetries,
    authentication: written.AuthenticationErrorRetries,
    timeout: written.TimeoutErrorRetries,
    rateLimit: written.RateLimitErrorRetries,
    contentPolicyViolation: written.ContentPolicyViolationErrorRetries,
    internalServer: written.InternalServerErrorRetries,
  };
}

function buildFailsPolicy(written: RouterSection["allowed_fails_policy"]): ErrorPolicy {
  return {
    badRequest: written.BadRequestErrorAllowedFails,
    authentication: written.AuthenticationErrorAllowedFails,
    timeout: written.TimeoutErrorAllowedFails,
    rateLimit: written.RateLimitErrorAllowedFails,
    contentPolicyViolation: written.ContentPolicyViolationErrorAllowedFails,
    internalServer: written.InternalServerErrorAllowedFails,
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
