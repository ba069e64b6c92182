import Type, { type Static } from "typebox";
import { NullableTime, nullable } from "./fields.ts";
import { ModelPricing } from "./model.ts";
import { CallTiming } from "./performance.ts";

/** How a model has served this installation in the last 24 hours. How much it is used is for administrators to know. */
export const HubPerformance = Type.Object({
  requests: nullable(Type.Integer({ description: "Null for whoever is not an administrator" })),
  successRate: nullable(Type.Number({ description: "0 to 1; null without requests" })),
  p50LatencyMs: nullable(Type.Number()),
  medianFirstTokenMs: nullable(Type.Number()),
  medianTiming: nullable(CallTiming),
  cells: Type.Array(Type.Object({ requests: Type.Integer(), errors: Type.Integer() }), {
    description:
      "One for each of the last 24 hours, the oldest first. Counts for administrators; for others of a hundred, or none",
  }),
});
export type HubPerformance = Static<typeof HubPerformance>;

/** A model group as the hub shows it: nothing of where it runs or under which credential. */
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
  supportedParams: Type.Array(Type.String(), { description: "OpenAI parameters that every deployment takes" }),
  unsupportedParams: Type.Array(Type.String(), { description: "The others of its operation" }),
  pricing: ModelPricing,
  status: Type.String({ enum: ["active", "deprecated"] }),
  createdAt: NullableTime,
  deprecatedAt: NullableTime,
  limits: nullable(
    Type.Object(
      { rpm: nullable(Type.Integer()), tpm: nullable(Type.Integer()) },
      { description: "Of all callers together" },
    ),
  ),
  fallbacks: Type.Array(Type.String()),
  pattern: nullable(
    Type.Object(
      { examples: Type.Array(Type.String()) },
      { description: "The name has stars; names such as these can be called" },
    ),
  ),
  performance: nullable(HubPerformance),
  available: nullable(
    Type.Boolean({ description: "To the caller's active organization; null for whoever is not signed in" }),
  ),
  source: nullable(Type.String({ description: "Where it is configured; for administrators only" })),
});
export type HubModel = Static<typeof HubModel>;

export const HubModels = Type.Object({
  models: Type.Array(HubModel, { description: "The most used here first, then by name" }),
});
