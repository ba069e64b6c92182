import { type Static, Type } from "typebox";
import { routerWithoutEffect } from "../without-effect.ts";
import {
  choice,
  count,
  flag,
  knownName,
  list,
  mapOf,
  names,
  number,
  optional,
  seconds,
  secret,
  text,
} from "./fields.ts";

export const routingStrategies = [
  "simple-shuffle",
  "least-busy",
  "latency-based-routing",
  "usage-based-routing-v2",
  "usage-based-routing",
  "cost-based-routing",
] as const;

export const preCallChecks = [
  "enforce_model_rate_limits",
  "session_affinity",
  "prompt_caching",
  "router_budget_limiting",
] as const;

const groups = mapOf("Fallback model groups, by model group", names("Fallback model groups, in order"));
const fallbacks = (description: string) => optional(Type.Union([list(description, groups), groups], { description }));

/** Settings that LiteLLM files can also define under `litellm_settings`. The router section takes precedence. */
export const shared = {
  num_retries: optional(count("Max retries after the first attempt (default 2)", { maximum: 100 })),
  fallbacks: fallbacks("Fallback model groups when all attempts fail"),
  context_window_fallbacks: fallbacks("Fallback model groups when the prompt exceeds the context window"),
  content_policy_fallbacks: fallbacks("Fallback model groups when the provider refuses a request for policy reasons"),
  default_fallbacks: optional(names("Fallback model groups for model groups without their own list")),
  allowed_fails: optional(count("Failures per minute that trigger a deployment's cooldown")),
  cooldown_time: optional(number("Cooldown for a failing deployment, in seconds (default 5)", { maximum: 86_400 })),
} as const;

const retries = optional(count("Max retries for this type of error", { maximum: 100 }));
const RetryPolicy = Type.Object(
  {
    BadRequestErrorRetries: retries,
    AuthenticationErrorRetries: retries,
    TimeoutErrorRetries: retries,
    RateLimitErrorRetries: retries,
    ContentPolicyViolationErrorRetries: retries,
    InternalServerErrorRetries: retries,
  },
  { description: "Max retries by error type", default: {} },
);

const fails = optional(count("Failures of this type per minute that trigger a deployment's cooldown"));
const AllowedFailsPolicy = Type.Object(
  {
    BadRequestErrorAllowedFails: fails,
    AuthenticationErrorAllowedFails: fails,
    TimeoutErrorAllowedFails: fails,
    RateLimitErrorAllowedFails: fails,
    ContentPolicyViolationErrorAllowedFails: fails,
    InternalServerErrorAllowedFails: fails,
  },
  { description: "Failures per minute that trigger a deployment's cooldown, by error type", default: {} },
);

const StrategyArgs = Type.Object(
  {
    ttl: seconds("Lifetime of a latency measurement, in seconds", { default: 3600 }),
    lowest_latency_buffer: number(
      "Margin within which a slower deployment counts as fastest, as a fraction of the lowest latency",
      {
        default: 0,
      },
    ),
    max_latency_list_size: count("Latency measurements stored per deployment", {
      default: 10,
      minimum: 1,
      maximum: 1000,
    }),
  },
  { description: "Settings for latency-based-routing", default: {} },
);

const RoutingGroup = Type.Object({
  group_name: text("Name shown in messages"),
  models: names("Model groups that use this strategy"),
  routing_strategy: choice("Routing strategy", routingStrategies),
  routing_strategy_args: StrategyArgs,
});

const Alias = Type.Union([
  text("Model group that the alias refers to"),
  Type.Object({
    model: text("Model group that the alias refers to"),
    hidden: flag("Hide the alias from model lists", false),
  }),
]);

export const RouterSection = Type.Object(
  {
    routing_strategy: choice("Routing strategy", routingStrategies, "simple-shuffle"),
    routing_strategy_args: StrategyArgs,
    routing_groups: list("Routing strategies for specific model groups", RoutingGroup),
    model_group_alias: mapOf("Model group aliases", Alias),
    ...shared,
    max_fallbacks: count("Max model groups to try per request", { default: 5, maximum: 20 }),
    mid_stream_fallback: flag(
      "Fall back to another model group when a stream is interrupted (no effect in this version)",
      false,
    ),
    retry_policy: RetryPolicy,
    model_group_retry_policy: mapOf("Retry policies for specific model groups", RetryPolicy),
    retry_after: number("Min delay before a retry, in seconds", { default: 0, maximum: 60 }),
    max_num_retries_per_request: count("Max retries that a request can set", { default: 10, maximum: 100 }),
    max_upstream_calls: count("Max provider calls per request, regardless of other settings", {
      default: 6,
      minimum: 1,
      maximum: 6,
    }),
    timeout: optional(seconds("Timeout per attempt, in seconds")),
    stream_timeout: optional(seconds("Timeout for the first chunk of a stream and between chunks, in seconds")),
    total_timeout: seconds("Total timeout for all attempts of a request, in seconds", { default: 900 }),
    allowed_fails_policy: AllowedFailsPolicy,
    disable_cooldowns: flag("Disable cooldowns", false),
    enable_pre_call_checks: flag(
      "Skip deployments that cannot serve the request (context window, rpm, or response schema)",
      false,
    ),
    deployment_affinity_ttl_seconds: number(
      "How long a session stays on its deployment after its last request, in seconds (0: sessions are not pinned)",
      { default: 3600, maximum: 86_400 },
    ),
    optional_pre_call_checks: list(
      "Additional checks (session_affinity and prompt_caching are always on; router_budget_limiting has no effect in this version)",
      knownName("A check", preCallChecks),
    ),
    enable_tag_filtering: flag("Route by tags", false),
    tag_filtering_match_any: flag("Match deployments that have at least one of the request's tags", true),
    enable_health_check_routing: flag("Skip unhealthy deployments", false),
    redis_url: optional(secret("Redis URL for counters that replicas share")),
    redis_host: optional(text("Redis host")),
    redis_port: optional(count("Redis port", { minimum: 1, maximum: 65_535 })),
    redis_password: optional(secret("Redis password")),
    redis_db: optional(count("Redis database number")),
  },
  {
    description: "Routing, retries, and fallbacks",
    default: {},
    "x-aliases": { enable_pre_call_check: "enable_pre_call_checks" },
    "x-without-effect": routerWithoutEffect,
  },
);

export type RouterSection = Static<typeof RouterSection>;
export type Fallbacks = RouterSection["fallbacks"];
