import { plural } from "../format/plural.ts";
import type { RouteStep } from "./route-list.tsx";

/** Data about how a request was routed. */
interface RoutedCall {
  readonly model: string;
  readonly class: string;
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly latencyMs: number;
  readonly cacheHit: boolean;
  readonly timing: { readonly failedMs: number } | null;
  readonly route: {
    readonly attempts: number;
    readonly fallbackFrom: string | null;
    readonly deploymentId: string | null;
    readonly provider: string | null;
  };
}

/** Returns the route of a request as steps: failed attempts, a fallback, and the deployment that served it. */
export function routeSteps({
  model,
  class: outcome,
  httpStatus,
  errorCode,
  latencyMs,
  cacheHit,
  timing,
  route,
}: RoutedCall): RouteStep[] {
  if (outcome === "refused") {
    return [
      {
        outcome: "refused",
        name: model,
        status: httpStatus,
        note: errorCode ?? "refused",
        detail: "No provider was called.",
      },
    ];
  }
  if (cacheHit)
    return [{ outcome: "served", name: "Cache", status: httpStatus, note: "served", durationMs: latencyMs }];
  const failedBefore = outcome === "succeeded" ? route.attempts - 1 : 0;
  const failedMs = timing?.failedMs ?? 0;
  const steps: RouteStep[] = [];
  if (failedBefore > 0) {
    steps.push({
      outcome: "failed",
      name: route.fallbackFrom ?? model,
      note: `${plural(failedBefore, "attempt")} failed`,
      detail: "Failed before the first byte was sent to the client. Not billed.",
      ...(failedMs > 0 && { durationMs: failedMs }),
    });
  }
  const server = [route.provider, route.deploymentId].filter((part) => part !== null).join(", ");
  const detail = route.fallbackFrom === null ? undefined : `Fallback for ${route.fallbackFrom}, which failed.`;
  steps.push({
    outcome: outcome === "succeeded" || outcome === "canceled" ? "served" : "failed",
    name: server === "" ? model : server,
    status: httpStatus,
    note: endWord(outcome, errorCode, route.attempts),
    ...(detail !== undefined && { detail }),
    // If there is no earlier step, this step includes the time of failed attempts.
    durationMs: failedBefore > 0 ? Math.max(0, latencyMs - failedMs) : latencyMs,
  });
  return steps;
}

function endWord(outcome: string, errorCode: string | null, attempts: number): string {
  if (outcome === "succeeded") return "served";
  if (outcome === "canceled") return "client disconnected";
  const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
  return `${errorCode ?? "failed"}${tries}`;
}
