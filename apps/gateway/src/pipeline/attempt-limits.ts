import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { Call } from "./call.ts";

/** How long one attempt may take, and how long its stream may be silent. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
}

/** The limits of an attempt at a deployment: what the request asked, else the deployment's, else the settings'. */
export function attemptLimits(call: Call, deployment: Deployment, settings: Settings): AttemptLimits {
  const { asked } = call;
  const timeoutMs =
    asked.timeoutMs ??
    (deployment.timeoutSeconds ?? settings.router.timeoutSeconds ?? settings.gateway.requestTimeoutSeconds) * 1_000;
  const streamSeconds = deployment.streamTimeoutSeconds ?? settings.router.streamTimeoutSeconds;
  const streamTimeoutMs = asked.streamTimeoutMs ?? (streamSeconds === null ? timeoutMs : streamSeconds * 1_000);
  return { timeoutMs, streamTimeoutMs };
}
