import Type, { type Static } from "typebox";
import { nullable, Time } from "./fields.ts";

/** Where the time of a call went, in milliseconds with three digits. Together they are its duration, up to rounding. */
export const CallTiming = Type.Object({
  gatewayBeforeMs: Type.Number({ description: "From the request until it was first sent on, queue left out" }),
  queueMs: Type.Number({ description: "Waiting to be let in and for credit" }),
  failedMs: Type.Number({ description: "Attempts that failed before the one that answered" }),
  firstTokenMs: Type.Number({ description: "From sending it on until the first token of the answer" }),
  generationMs: Type.Number({ description: "From the first token to the last" }),
  gatewayAfterMs: Type.Number({ description: "From the last byte of the model until the call was over" }),
});
export type CallTiming = Static<typeof CallTiming>;

const hours = [24, 168, 720] as const;
export type PerformanceHours = (typeof hours)[number];

export const PerformanceQuery = Type.Object({
  hours: Type.Unsafe<PerformanceHours>({ type: "integer", enum: hours, default: 24 }),
  scope: Type.Unsafe<"organization" | "all">({
    type: "string",
    enum: ["organization", "all"],
    default: "organization",
    description: "`all`: every organization, for administrators",
  }),
});

export const PerformanceCell = Type.Object({ at: Time, requests: Type.Integer(), errors: Type.Integer() });

export const ModelPerformance = Type.Object({
  model: Type.String(),
  provider: nullable(Type.String()),
  requests: Type.Integer(),
  errors: Type.Integer(),
  successRate: nullable(Type.Number({ description: "From 0 to 1; null without a call" })),
  p50LatencyMs: nullable(Type.Integer()),
  p95LatencyMs: nullable(Type.Integer()),
  medianFirstTokenMs: nullable(Type.Number({ description: "Of the latest calls, 1,000 at most" })),
  outputTokensPerSecond: nullable(Type.Number({ description: "Of the latest calls, while they were answered" })),
  medianTiming: nullable(CallTiming),
  cells: Type.Array(PerformanceCell, { description: "From the oldest to the newest, empty ones included" }),
  lastError: nullable(Type.Object({ at: Time, httpStatus: Type.Integer(), errorCode: nullable(Type.String()) })),
});
export type ModelPerformance = Static<typeof ModelPerformance>;

export const PerformanceReport = Type.Object({
  performance: Type.Array(ModelPerformance),
  meta: Type.Object({ startDate: Time, endDate: Time, cellMinutes: Type.Integer() }),
});
