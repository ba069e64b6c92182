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

const groups = mapOf("Groups to try instead, by group", names("Groups in the order they are tried"));
const fallbacks = (description: string) => optional(Type.Union([list(description, groups), groups], { description }));

/** Settings that LiteLLM files also write under `litellm_settings`. The router's own section wins. */
export const shared = {
  num_retries: optional(count("Further attempts after the first. Default 2", { maximum: 100 })),
  fallbacks: fallbacks("Groups to try when all attempts failed"),
  context_window_fallbacks: fallbacks("Groups to try when the prompt does not fit"),
  content_policy_fallbacks: fallbacks("Groups to try when the provider refuses on policy grounds"),
  default_fallbacks: optional(names("Groups to try where a group has no list of its own")),
  allowed_fails: optional(count("Failures a minute before a deployment rests")),
  cooldown_time: optional(number("Seconds a failing deployment rests. Default 5", { maximum: 86_400 })),
} as const;

const retries = optional(count("Further attempts on this kind of error", { maximum: 100 }));
const RetryPolicy = Type.Object(
  {
    BadRequestErrorRetries: retries,
    AuthenticationErrorRetries: retries,
    TimeoutErrorRetries: retries,
    RateLimitErrorRetries: retries,
    ContentPolicyViolationErrorRetries: retries,
    InternalServerErrorRetries: retries,
  },
  { description: "Further attempts by kind of error", default: {} },
);

const fails = optional(count("Failures of this kind a minute before a deployment rests"));
const AllowedFailsPolicy = Type.Object(
  {
    BadRequestErrorAllowedFails: fails,
    AuthenticationErrorAllowedFails: fails,
    TimeoutErrorAllowedFails: fails,
    RateLimitErrorAllowedFails: fails,
    ContentPolicyViolationErrorAllowedFails: fails,
    InternalServerErrorAllowedFails: fails,
  },
  { description: "Failures a minute before a deployment rests, by kind of error", default: {} },
);

const StrategyArgs = Type.Object(
  {
    ttl: seconds("Seconds a measured latency counts", { default: 3600 }),
    lowest_latency_buffer: number("How much slower than the best still counts as good, as a share", { default: 0 }),
    max_latency_list_size: count("Latencies kept for each deployment", { default: 10, minimum: 1, maximum: 1000 }),
  },
  { description: "How latency-based-routing measures", default: {} },
);

const RoutingGroup = Type.Object({
  group_name: text("A name for messages"),
  models: names("The groups this applies to"),
  routing_strategy: choice("How a deployment is chosen", routingStrategies),
  routing_strategy_args: StrategyArgs,
});

const Alias = Type.Union([
  text("The group the alias stands for"),
  Type.Object({
    model: text("The group the alias stands for"),
    hidden: flag("Callable, but not listed", false),
  }),
]);

export const RouterSection = Type.Object(
  {
    routing_strategy: choice("How a deployment is chosen", routingStrategies, "simple-shuffle"),
    routing_strategy_args: StrategyArgs,
    routing_groups: list("Other strategies for some groups", RoutingGroup),
    model_group_alias: mapOf("Other names of groups", Alias),
    ...shared,
    max_fallbacks: count("Groups tried for one call", { default: 5, maximum: 20 }),
    mid_stream_fallback: flag("Go on with another group when a stream breaks (no effect in this version)", false),
    retry_policy: RetryPolicy,
    model_group_retry_policy: mapOf("Retry policies of single groups", RetryPolicy),
    retry_after: number("Least seconds before a retry", { default: 0, maximum: 60 }),
    max_num_retries_per_request: count("Most retries a request can ask for", { default: 10, maximum: 100 }),
    max_upstream_calls: count("Upstream calls of one call, whatever else is set", {
      default: 6,
      minimum: 1,
      maximum: 6,
    }),
    timeout: optional(seconds("Seconds for one attempt")),
    stream_timeout: optional(seconds("Seconds to the first part of a stream, and between parts")),
    total_timeout: seconds("Seconds for all attempts of a call", { default: 900 }),
    allowed_fails_policy: AllowedFailsPolicy,
    disable_cooldowns: flag("Never rest a failing deployment", false),
    enable_pre_call_checks: flag("Leave out deployments the call cannot fit", false),
    optional_pre_call_checks: list(
      "Further checks (only enforce_model_rate_limits has an effect in this version)",
      knownName("A check", preCallChecks),
    ),
    enable_tag_filtering: flag("Choose by tags", false),
    tag_filtering_match_any: flag("One common tag is enough", true),
    enable_health_check_routing: flag("Leave out deployments found unhealthy", false),
    redis_url: optional(secret("Address of Redis for counters that replicas share")),
    redis_host: optional(text("Host of Redis")),
    redis_port: optional(count("Port of Redis", { minimum: 1, maximum: 65_535 })),
    redis_password: optional(secret("Password of Redis")),
    redis_db: optional(count("Database number of Redis")),
  },
  {
    description: "Which deployment serves a call, and what happens when it fails",
    default: {},
    "x-aliases": { enable_pre_call_check: "enable_pre_call_checks" },
    "x-without-effect": routerWithoutEffect,
  },
);

export type RouterSection = Static<typeof RouterSection>;
export type Fallbacks = RouterSection["fallbacks"];
