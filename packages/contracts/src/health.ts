import Type, { type Static } from "typebox";
import { NullableParameter } from "./models/nullable-parameter.ts";

/** `Not connected` means that no database is configured. */
export const DatabaseState = Type.Union([
  Type.Literal("connected"),
  Type.Literal("disconnected"),
  Type.Literal("Not connected"),
]);
export type DatabaseState = Static<typeof DatabaseState>;

/** The entire response is one JSON string. */
export const Liveness = Type.Literal("I'm alive!");

const readiness = {
  status: Type.Union([Type.Literal("healthy"), Type.Literal("unhealthy")]),
  db: DatabaseState,
};

export const Readiness = Type.Object(readiness);
export type Readiness = Static<typeof Readiness>;

export const ReadinessDetails = Type.Object({
  ...readiness,
  cache: Type.Union([Type.Literal("memory"), Type.Literal("redis"), Type.Null()], {
    description: "Where responses are cached, or null if caching is disabled.",
  }),
  callbacks: Type.Array(Type.String(), { description: "Additional destinations for alerts, traces, and metrics." }),
  version: Type.String(),
  log_level: Type.Union([Type.String(), Type.Null()], {
    description: "The minimum log level, or null if this process does not log.",
  }),
  is_draining: Type.Boolean(),
});
export type ReadinessDetails = Static<typeof ReadinessDetails>;

export const Startup = Type.Object({ status: Type.Union([Type.Literal("started"), Type.Literal("starting")]) });
export type Startup = Static<typeof Startup>;

export const Draining = Type.Object({
  status: Type.Literal("draining"),
  in_flight: Type.Integer({ description: "Requests in flight in the process that sent this response." }),
});
export type Draining = Static<typeof Draining>;

export const HealthQuery = Type.Object({
  model: NullableParameter(Type.String(), { description: "Only this model, by its public name." }),
  model_id: NullableParameter(Type.String(), { description: "Only the deployment with this ID." }),
});
export type HealthQuery = Static<typeof HealthQuery>;

const endpoint = {
  model: Type.String(),
  model_id: Type.String(),
  api_base: Type.Optional(Type.String({ description: "Visible to administrators." })),
};

export const HealthReport = Type.Object({
  healthy_endpoints: Type.Array(Type.Object(endpoint)),
  unhealthy_endpoints: Type.Array(Type.Object({ ...endpoint, error: Type.String() })),
  healthy_count: Type.Integer(),
  unhealthy_count: Type.Integer(),
});
export type HealthReport = Static<typeof HealthReport>;

/** A gateway's report to the platform of the same Tollgate instance. */
export interface GatewayReport {
  readonly deployments: readonly {
    readonly id: string;
    /** Unix time in milliseconds; 0 if not in cooldown. */
    readonly cooledUntilMs: number;
    readonly isUnhealthy: boolean;
  }[];
  readonly inFlight: number;
  readonly queueDepth: number;
  /** Time from receiving a request to sending it upstream. Null before the first call. */
  readonly overheadP50Ms: number | null;
  readonly overheadP95Ms: number | null;
}
