import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";

/** How long one attempt may take, and how long its stream may be silent. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
}

/**
 * The limits of an attempt at a deployment: what the request asked, else the deployment's, else the settings'; and never
 * more than is left of the time for all attempts.
 */
export function attemptLimits(call: Call, deployment: Deployment, settings: Settings, nowMs: number): AttemptLimits {
  const { asked, exchange } = call;
  const leftMs = Math.max(1, exchange.startedAtMs + settings.router.totalTimeoutSeconds * 1_000 - nowMs);
  const timeoutMs = Math.min(asked.timeoutMs ?? ownTimeoutMs(deployment, settings), leftMs);
  const streamTimeoutMs = asked.streamTimeoutMs ?? ownStreamTimeoutMs(deployment, settings) ?? timeoutMs;
  return { timeoutMs, streamTimeoutMs };
}

/** The limits of a first attempt that asks for none of its own. */
export function usualLimits(deployment: Deployment, settings: Settings): AttemptLimits {
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
