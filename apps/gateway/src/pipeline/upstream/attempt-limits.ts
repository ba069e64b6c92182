import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";

/** The timeouts of one attempt: for the whole attempt, and between two chunks of its stream. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
  /**
   * The timeouts that would apply if the caller had set none. The upstream continues after the caller's deadline, so
   * the gateway reads the response until these timeouts expire, to determine its usage.
   */
  readonly readOnTimeoutMs: number;
  readonly readOnStreamTimeoutMs: number;
}

/**
 * Returns the limits for one attempt on a deployment. The request's limits take precedence, then the deployment's, and
 * then the limits in the settings. The limits never exceed the remaining total timeout.
 */
export function attemptLimits(call: Call, deployment: Deployment, settings: Settings, nowMs: number): AttemptLimits {
  const { asked, exchange } = call;
  const leftMs = Math.max(1, exchange.startedAtMs + settings.router.totalTimeoutSeconds * 1_000 - nowMs);
  const ownMs = ownTimeoutMs(deployment, settings);
  const ownStreamMs = ownStreamTimeoutMs(deployment, settings);
  const timeoutMs = Math.min(asked.timeoutMs ?? ownMs, leftMs);
  const streamTimeoutMs = asked.streamTimeoutMs ?? ownStreamMs ?? timeoutMs;
  const readOnTimeoutMs = Math.max(timeoutMs, Math.min(ownMs, leftMs));
  const readOnStreamTimeoutMs = Math.max(streamTimeoutMs, ownStreamMs ?? readOnTimeoutMs);
  return { timeoutMs, streamTimeoutMs, readOnTimeoutMs, readOnStreamTimeoutMs };
}

/** Returns the limits for a first attempt if the request sets none. */
export function usualLimits(
  deployment: Deployment,
  settings: Settings,
): Pick<AttemptLimits, "timeoutMs" | "streamTimeoutMs"> {
  const timeoutMs = Math.min(ownTimeoutMs(deployment, settings), settings.router.totalTimeoutSeconds * 1_000);
  return { timeoutMs, streamTimeoutMs: ownStreamTimeoutMs(deployment, settings) ?? timeoutMs };
}

function ownTimeoutMs(deployment: Deployment, { router, gateway }: Settings): number {
  return (deployment.timeoutSeconds ?? router.timeoutSeconds ?? gateway.requestTimeoutSeconds) * 1_000;
}

function ownStreamTimeoutMs(deployment: Deployment, { router }: Settings): number | null {
  const seconds = deployment.streamTimeoutSeconds ?? router.streamTimeoutSeconds;
  return seconds === null ? null : seconds * 1_000;
}
