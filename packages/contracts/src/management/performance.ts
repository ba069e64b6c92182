import Type, { type Static } from "typebox";
import { nullable, Time } from "./fields.ts";
import { requestCounts } from "./request-counts.ts";

/**
 * Timing of a call in milliseconds with three decimal places. The parts add up to the call's duration, apart from
 * rounding.
 */
export const CallTiming = Type.Object({
  gatewayBeforeMs: Type.Number({
    description: "From receiving the request to first sending it upstream, excluding the queue",
  }),
  queueMs: Type.Number({ description: "Waiting for admission and credit" }),
  failedMs: Type.Number({ description: "Failed attempts before the successful one" }),
  firstTokenMs: Type.Number({ description: "From sending it upstream to the first token" }),
  generationMs: Type.Number({ description: "From the first token to the last" }),
  gatewayAfterMs: Type.Number({ description: "From the model's last byte to the end of the request" }),
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

const { requests, succeeded, failed, rejected, canceled, errorRate } = requestCounts;
/** Counts of requests that reached a deployment, so none of them was refused. */
const deliveryCounts = { requests, succeeded, failed, rejected, canceled };

const PerformanceCell = Type.Object({ at: Time, requests, succeeded, failed });

export const ModelPerformance = Type.Object({
  model: Type.String(),
  provider: nullable(Type.String()),
  ...deliveryCounts,
  errorRate,
  successRate: nullable(Type.Number({ description: "1 − `errorRate`; null if no request succeeded or failed" })),
  p50LatencyMs: nullable(Type.Integer()),
  p95LatencyMs: nullable(Type.Integer()),
  medianFirstTokenMs: nullable(Type.Number({ description: "Based on the latest requests, up to 1,000" })),
  outputTokensPerSecond: nullable(Type.Number({ description: "Based on the latest requests, during generation" })),
  medianTiming: nullable(CallTiming),
  cells: Type.Array(PerformanceCell, { description: "Oldest first, including empty ones" }),
  lastError: nullable(Type.Object({ at: Time, httpStatus: Type.Integer(), errorCode: nullable(Type.String()) })),
});
export type ModelPerformance = Static<typeof ModelPerformance>;

export const PerformanceReport = Type.Object({
  performance: Type.Array(ModelPerformance),
  meta: Type.Object({ startDate: Time, endDate: Time, cellMinutes: Type.Integer() }),
});
