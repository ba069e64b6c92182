import Type, { type Static } from "typebox";
import { NullableTime, nullable } from "./fields.ts";
import { ModelPricing } from "./model.ts";
import { CallTiming } from "./performance.ts";

/** Performance of a model on this server in the last 24 hours. Only administrators can see the usage. */
export const HubPerformance = Type.Object({
  requests: nullable(Type.Integer({ description: "Null for callers who are not administrators" })),
  successRate: nullable(Type.Number({ description: "1 − error rate; null if no request succeeded or failed" })),
  p50LatencyMs: nullable(Type.Number()),
  medianFirstTokenMs: nullable(Type.Number()),
  medianTiming: nullable(CallTiming),
  cells: Type.Array(Type.Object({ requests: Type.Integer(), succeeded: Type.Integer(), failed: Type.Integer() }), {
    description:
      "One entry per hour for the last 24 hours, oldest first. Counts for administrators; for others, per 100 requests, or none",
  }),
});
export type HubPerformance = Static<typeof HubPerformance>;

/** A model group in the hub, without its deployments and credentials. */
export const HubModel = Type.Object({
  id: Type.String(),
  providers: Type.Array(Type.String()),
  mode: Type.String(),
  description: nullable(Type.String()),
  contextWindow: nullable(Type.Integer()),
  maxOutputTokens: nullable(Type.Integer()),
  inputModalities: Type.Array(Type.String()),
  outputModalities: Type.Array(Type.String()),
  capabilities: Type.Array(Type.String()),
  supportedParams: Type.Array(Type.String(), { description: "OpenAI parameters that every deployment supports" }),
  unsupportedParams: Type.Array(Type.String(), { description: "The operation's other parameters" }),
  pricing: ModelPricing,
  /** How the prices of the caller's organization differ from the standard prices, such as `-10 %`. */
  priceAdjustment: Type.Optional(nullable(Type.String())),
  status: Type.String({ enum: ["active", "deprecated"] }),
  createdAt: NullableTime,
  deprecatedAt: NullableTime,
  limits: nullable(
    Type.Object(
      { rpm: nullable(Type.Integer()), tpm: nullable(Type.Integer()) },
      { description: "Limits shared by all callers" },
    ),
  ),
  fallbacks: Type.Array(Type.String()),
  pattern: nullable(
    Type.Object(
      { examples: Type.Array(Type.String()) },
      { description: "For wildcard names: examples of model names you can request" },
    ),
  ),
  performance: nullable(HubPerformance),
  available: nullable(
    Type.Boolean({ description: "Whether the caller's active organization can use it; null if not signed in" }),
  ),
  source: nullable(Type.String({ description: "Where the model is configured; administrators only" })),
});
export type HubModel = Static<typeof HubModel>;

export const HubModels = Type.Object({
  models: Type.Array(HubModel, { description: "Most used first, then by name" }),
});
