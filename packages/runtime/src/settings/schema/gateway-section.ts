import { type Static, Type } from "typebox";
import { cacheWithoutEffect, gatewayWithoutEffect } from "../without-effect.ts";
import { choice, count, flag, knownName, list, mapOf, optional, seconds, secret, share, text, usd } from "./fields.ts";
import { shared } from "./router-section.ts";

/** Handling of request fields that are not on a provider's list. */
export const unknownParamsChoices = ["reject", "drop", "forward"] as const;

/** Redis location: a URL, or its parts. */
const redisParts = {
  host: optional(text("Redis host")),
  port: optional(count("Redis port", { minimum: 1, maximum: 65_535 })),
  password: optional(secret("Redis password")),
} as const;

/** LiteLLM's call types, mapped to Tollgate's. */
export const callTypes = {
  completion: "completion",
  acompletion: "completion",
  text_completion: "completion",
  atext_completion: "completion",
  embedding: "embedding",
  aembedding: "embedding",
  transcription: "transcription",
  atranscription: "transcription",
  rerank: "rerank",
  arerank: "rerank",
} as const;

const CacheParams = Type.Object(
  {
    type: knownName("Storage for cached responses", ["memory", "local", "redis"], "memory"),
    ttl: seconds("Lifetime of cached responses, in seconds", { default: 60, maximum: 31_536_000 }),
    namespace: optional(text("Cache namespace, which separates instances that share a Redis server")),
    mode: choice("Whether requests use the cache by default", ["default_on", "default_off"], "default_on"),
    supported_call_types: list(
      "Operations whose responses are cached",
      knownName("An operation", Object.keys(callTypes) as (keyof typeof callTypes)[]),
      ["completion", "embedding", "transcription", "rerank"],
    ),
    scope: choice("Callers that share a cached response", ["team", "key", "global"], "team"),
    ...redisParts,
    url: optional(secret("Redis URL: redis://… or rediss://…")),
    db: optional(count("Redis database number")),
  },
  {
    description: "Response cache settings",
    default: {},
    "x-aliases": { redis_url: "url" },
    "x-without-effect": cacheWithoutEffect,
  },
);

const CostAdjustment = Type.Union([
  share("Share of the price, such as 0.05"),
  Type.Object({
    percentage: share("Share of the price, such as 0.05"),
    fixed_amount: usd("Amount per request"),
  }),
]);

export const GatewaySection = Type.Object(
  {
    drop_params: flag("Drop parameters that the provider does not support instead of rejecting the request", false),
    request_timeout: seconds("Default timeout per attempt, in seconds", { default: 600 }),
    unknown_params: optional(
      choice(
        "Handling of request fields that the provider is not known to support: reject or drop. With billing on, the default is reject, and forward can be set only on a deployment. With billing off, the default is forward",
        unknownParamsChoices,
      ),
    ),
    error_code_style: choice("Format of error.code", ["semantic", "status"], "semantic"),
    cache: flag("Return cached responses for identical requests", false),
    cache_params: CacheParams,
    enable_json_schema_validation: flag(
      "Validate responses against the requested schema (no effect in this version)",
      false,
    ),
    include_cost_in_streaming_usage: flag("Include the cost in streamed usage (no effect in this version)", false),
    disable_token_counter: flag("Disable local token counting if the request asks for the provider's count", false),
    emulate_n: flag("Send n requests to providers that return only one choice (no effect in this version)", false),
    allow_mock: flag("Allow mock_response in requests (no effect in this version)", false),
    max_budget: usd("Global budget for all requests (no effect in this version)"),
    budget_duration: optional(
      Type.String({
        pattern: "^[1-9][0-9]*(s|m|h|d|mo)$",
        description: "Reset period for max_budget: 30s, 30m, 24h, 7d, or 1mo",
      }),
    ),
    cost_margin: mapOf("Markup on the prices of deployments, by provider; `global` is for all others", CostAdjustment),
    cost_discount: mapOf(
      "Discount on the prices of deployments, by provider; `global` is for all others. It applies before the markup",
      CostAdjustment,
    ),
    ...shared,
  },
  {
    description: "Request handling",
    default: {},
    "x-aliases": { cost_margin_config: "cost_margin", cost_discount_config: "cost_discount" },
    "x-without-effect": gatewayWithoutEffect,
  },
);

export type GatewaySection = Static<typeof GatewaySection>;
