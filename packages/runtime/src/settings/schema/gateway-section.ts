import { type Static, Type } from "typebox";
import { cacheWithoutEffect, gatewayWithoutEffect } from "../without-effect.ts";
import { choice, count, flag, knownName, list, mapOf, optional, seconds, secret, share, text, usd } from "./fields.ts";
import { shared } from "./router-section.ts";

/** What becomes of request fields that are not on a provider's list. */
export const unknownParamsChoices = ["reject", "drop", "forward"] as const;

/** Where Redis is: an address, or its parts. */
export const redisParts = {
  host: optional(text("Host of Redis")),
  port: optional(count("Port of Redis", { minimum: 1, maximum: 65_535 })),
  password: optional(secret("Password of Redis")),
} as const;

/** LiteLLM's names of the call types, and ours. */
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
    type: knownName("Where answers are kept", ["memory", "local", "redis"], "memory"),
    ttl: seconds("Seconds an answer is kept", { default: 60, maximum: 31_536_000 }),
    namespace: optional(text("Keeps the answers of several installations apart")),
    mode: choice("Whether calls use the cache unless they say otherwise", ["default_on", "default_off"], "default_on"),
    supported_call_types: list(
      "Operations whose answers are kept",
      knownName("An operation", Object.keys(callTypes) as (keyof typeof callTypes)[]),
      ["completion", "embedding", "transcription", "rerank"],
    ),
    scope: choice("Who shares an answer", ["team", "key", "global"], "team"),
    ...redisParts,
    url: optional(secret("Address of Redis: redis://… or rediss://…")),
    db: optional(count("Database number of Redis")),
  },
  {
    description: "What the cache keeps, where and for whom",
    default: {},
    "x-aliases": { redis_url: "url" },
    "x-without-effect": cacheWithoutEffect,
  },
);

const CostAdjustment = Type.Union([
  share("A share of the price, such as 0.05"),
  Type.Object({
    percentage: share("A share of the price, such as 0.05"),
    fixed_amount: usd("An amount per call"),
  }),
]);

export const GatewaySection = Type.Object(
  {
    drop_params: flag("Leave out parameters a provider does not know, instead of refusing the call", false),
    request_timeout: seconds("Seconds for one attempt, where nothing nearer says otherwise", { default: 600 }),
    unknown_params: optional(
      choice(
        "What happens to request fields that are not on the provider's list: reject, or drop. With billing on the default is reject, and forward is for single deployments only; with billing off the default is forward",
        unknownParamsChoices,
      ),
    ),
    error_code_style: choice("What error.code holds", ["semantic", "status"], "semantic"),
    cache: flag("Answer equal calls from a cache", false),
    cache_params: CacheParams,
    enable_json_schema_validation: flag(
      "Check answers against the schema the request asked for (no effect in this version)",
      false,
    ),
    include_cost_in_streaming_usage: flag("Put the cost into the usage of a stream (no effect in this version)", false),
    disable_token_counter: flag("Never count tokens here when the provider was asked to", false),
    emulate_n: flag("Make n calls for providers that give one answer only (no effect in this version)", false),
    allow_mock: flag("Let requests name their own answer (no effect in this version)", false),
    max_budget: usd("What the whole gateway may spend (no effect in this version)"),
    budget_duration: optional(
      Type.String({
        pattern: "^[1-9][0-9]*(s|m|h|d|mo)$",
        description: "When max_budget starts anew: 30s 30m 24h 7d 1mo",
      }),
    ),
    cost_margin: mapOf(
      "Added to what a provider's calls cost, by provider (no effect in this version)",
      CostAdjustment,
    ),
    cost_discount: mapOf(
      "Taken off what a provider's calls cost, by provider (no effect in this version)",
      CostAdjustment,
    ),
    ...shared,
  },
  {
    description: "What calls are like",
    default: {},
    "x-aliases": { cost_margin_config: "cost_margin", cost_discount_config: "cost_discount" },
    "x-without-effect": gatewayWithoutEffect,
  },
);

export type GatewaySection = Static<typeof GatewaySection>;
