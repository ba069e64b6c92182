import Type, { type Static } from "typebox";
import { HealthStatus } from "./deployment.ts";
import { NullableTime, nullable, Time } from "./fields.ts";
import { ModelPerformance } from "./performance.ts";

const { requests, succeeded, failed, rejected, canceled, errorRate, successRate } = ModelPerformance.properties;
const { p50LatencyMs, p95LatencyMs, medianTiming, cells, lastError } = ModelPerformance.properties;
/** Figures for the last 24 hours, in 96 cells. */
const figures = {
  ...{ requests, succeeded, failed, rejected, canceled, errorRate, successRate },
  ...{ p50LatencyMs, p95LatencyMs, medianTiming, cells, lastError },
};

export const HealthRow = Type.Object({
  group: Type.String(),
  provider: Type.String(),
  /** Null for callers who are not administrators. */
  deploymentId: nullable(Type.String()),
  status: HealthStatus,
  cooldownUntil: NullableTime,
  ...figures,
});
export type HealthRow = Static<typeof HealthRow>;

export const Incident = Type.Object({
  from: Time,
  /** Null while the incident is ongoing. */
  to: NullableTime,
  group: Type.String(),
  provider: Type.String(),
  failed: Type.Integer(),
  requests: Type.Integer({ description: "Requests that succeeded or failed" }),
  errorCode: nullable(Type.String()),
});
export type Incident = Static<typeof Incident>;

/** Health of the models visible to the caller over one day. */
export const HealthBoard = Type.Object({
  deployments: Type.Array(HealthRow),
  gateway: Type.Object(
    {
      overheadP50Ms: nullable(Type.Number()),
      overheadP95Ms: nullable(Type.Number()),
      inFlight: nullable(Type.Integer()),
      queueDepth: nullable(Type.Integer()),
    },
    { description: "Null if no gateway could be reached" },
  ),
  incidents: Type.Array(Incident),
  checkedAt: Time,
});
export type HealthBoard = Static<typeof HealthBoard>;
