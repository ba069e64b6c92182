import type { ClassCounts } from "./request-class.ts";

/** Health of a deployment or a model at its provider. */
export const HEALTH_STATES = ["healthy", "degraded", "down", "unknown", "cooling"] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** A deployment's state as a gateway reports it. */
export type LiveState = "healthy" | "unhealthy" | "cooling" | "disabled" | "unusable" | "unknown";

/** The requests of this time decide the health, unless a gateway knows better. */
export const HEALTH_WINDOW_MS = 3_600_000;

/** Above this error rate, a deployment is degraded. */
const DEGRADED_RATE = 0.05;
/** From this error rate, a deployment is down. */
const DOWN_RATE = 0.5;
/** Minimum number of failed requests for the state "down", because a single one is not significant. */
const DOWN_FAILED = 3;

/**
 * Returns the health of a deployment: the state that a gateway reports if it is in cooldown or unusable, or else the
 * state that its requests of the last hour show. Only failed requests count against it.
 */
export function healthOf(
  live: LiveState | null,
  { succeeded, failed }: Pick<ClassCounts, "succeeded" | "failed">,
): HealthState {
  if (live === "cooling") return "cooling";
  if (live === "unhealthy" || live === "unusable") return "down";
  const delivered = succeeded + failed;
  if (delivered === 0) return live === "healthy" ? "healthy" : "unknown";
  const rate = failed / delivered;
  if (rate >= DOWN_RATE && failed >= DOWN_FAILED) return "down";
  return rate > DEGRADED_RATE ? "degraded" : "healthy";
}
