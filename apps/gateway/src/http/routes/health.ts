import { Liveness, type Readiness, Readiness as ReadinessSchema, Startup } from "@tollgate/contracts/health.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { HealthState } from "../api-context.ts";
import { answerJson, type OpenOperation } from "../api-operation.ts";

const openProbe = {
  tag: "health",
  method: "GET",
  auth: "none",
  routeGroup: "public",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 5_000,
} as const satisfies Partial<OperationDescription>;

/**
 * Reports whether the process responds. It checks no dependencies, so that an unavailable dependency never causes a
 * restart.
 */
export const liveness: OpenOperation = {
  ...openProbe,
  id: "getLiveness",
  summary: "Check whether the process is alive",
  paths: ["/health/liveliness", "/health/liveness"],
  answers: { 200: { description: "The process is alive.", schema: Liveness } },
  handle: () => answerJson("I'm alive!"),
};

/** Reports whether this instance should receive calls. */
export const readiness: OpenOperation = {
  ...openProbe,
  id: "getReadiness",
  summary: "Check whether this instance accepts requests",
  paths: ["/health/readiness"],
  answers: {
    200: { description: "The instance accepts requests.", schema: ReadinessSchema },
    503: { description: "The instance is starting, draining, or cannot reach its database.", schema: ReadinessSchema },
  },
  async handle(_input, { health }) {
    const state = await readReadiness(health);
    return answerJson(state, state.status === "healthy" ? 200 : 503);
  },
};

/** Reports whether this instance has finished starting. */
export const startup: OpenOperation = {
  ...openProbe,
  id: "getStartup",
  summary: "Check whether this instance has started",
  paths: ["/health/startup"],
  answers: {
    200: { description: "The instance has started.", schema: Startup },
    503: { description: "The instance is still starting.", schema: Startup },
  },
  handle: (_input, { health }) =>
    health.hasStarted() ? answerJson({ status: "started" }) : answerJson({ status: "starting" }, 503),
};

/**
 * Returns the readiness state. The instance is ready if it has started, is not draining, and its database, if any,
 * responds.
 */
export async function readReadiness(health: HealthState): Promise<Readiness> {
  const canServe = health.hasStarted() && !health.isDraining();
  const db = canServe ? await health.database() : "disconnected";
  return { status: db === "disconnected" ? "unhealthy" : "healthy", db };
}
