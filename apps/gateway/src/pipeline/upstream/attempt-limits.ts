import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";

/** How long one attempt may take, and how long its stream may be silent. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
  /**
   * The same without what the request asked for. The upstream works on after a caller's own deadline has passed, so its
   * response is read until here to learn what it costs.
   */
  readonly readOnTimeoutMs: number;
  readonly readOnStreamTimeoutMs: number;
}

/**
 * The limits of an attempt at a deployment: what the request asked, else the deployment's, else the settings'; and never
 * more than is left of the time for all attempts.
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

/** The limits of a first attempt that asks for none of its own. */
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
