import type { Operations } from "@tollgate/sdk/platform";
import type { Tone } from "./badge.tsx";

export type Call = Operations["listLogs"]["answer"]["data"][number];
export type CallDetail = Operations["getLog"]["answer"]["log"];

/** Returns the tone for a request's outcome; null for successful requests. */
export function toneOf({ status, httpStatus }: Pick<Call, "status" | "httpStatus">): Tone | null {
  if (status === "success") return null;
  if (status === "cancelled") return "neutral";
  return httpStatus >= 500 ? "danger" : "warning";
}

const words: Readonly<Record<string, string>> = {
  budget_exceeded: "Cap reached",
  QUOTA_EXCEEDED: "Out of credit",
  TEAM_BLOCKED: "Team blocked",
  rate_limit_exceeded: "Rate limit",
  upstream_rate_limit: "Upstream rate limit",
  upstream_timeout: "Upstream timed out",
  upstream_unreachable: "Upstream unreachable",
  internal_error: "Upstream error",
  key_blocked: "Key blocked",
  expired_key: "Key expired",
  key_model_access_denied: "Model not allowed for key",
  team_model_access_denied: "Model not allowed for team",
  org_model_access_denied: "Model not allowed for organization",
};

/** Describes in two or three words why a request failed; null if it succeeded. */
export function reasonOf({ status, errorCode }: Pick<Call, "status" | "errorCode">): string | null {
  if (status === "cancelled") return "Client disconnected";
  if (errorCode === null) return null;
  return words[errorCode] ?? sentence(errorCode.toLowerCase().replaceAll("_", " "));
}

/** Returns the URL path of an endpoint. */
export function pathOf(endpoint: string): string {
  return `/v1/${endpoint.replaceAll(".", "/")}`;
}

/** Returns the requested model, and the model that served the request if it differs. */
export function servedBy({ model, fallbackFrom }: Pick<Call, "model" | "fallbackFrom">): {
  readonly asked: string;
  readonly served: string | null;
} {
  return fallbackFrom === null ? { asked: model, served: null } : { asked: fallbackFrom, served: model };
}

/**
 * Time within which payloads are stored. A payload is written shortly after the request ends, separately from the log
 * entry.
 */
const STORED_WITHIN_MS = 60_000;

/** Reports whether a request's payload might not have been written yet. */
export function isOnItsWay(log: Pick<CallDetail, "status" | "contentState" | "createdAt" | "latencyMs">): boolean {
  if (log.contentState !== "not_captured" || log.status !== "success") return false;
  return Date.now() - new Date(log.createdAt).getTime() - log.latencyMs < STORED_WITHIN_MS;
}

/**
 * Reports whether to show a cost. A zero cost is shown only if the request succeeded, because the request was then
 * free.
 */
export function hasCost({ status, cost }: Pick<Call, "status" | "cost">): boolean {
  return cost > 0n || status === "success";
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
