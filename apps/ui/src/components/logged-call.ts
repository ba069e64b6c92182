import type { Operations } from "@tollgate/sdk/platform";
import type { Tone } from "./badge.tsx";

export type Call = Operations["listLogs"]["answer"]["data"][number];
export type CallDetail = Operations["getLog"]["answer"]["log"];

/** Returns the tone for a request's outcome; null for successful requests. */
export function toneOf({ class: outcome }: Pick<Call, "class">): Tone | null {
  return tones[outcome];
}

/** Only a failure is the fault of a provider or of the gateway. The caller can do something about the other two. */
const tones: Readonly<Record<Call["class"], Tone | null>> = {
  succeeded: null,
  failed: "danger",
  refused: "warning",
  rejected: "warning",
  canceled: "neutral",
};

const words: Readonly<Record<string, string>> = {
  budget_exceeded: "Cap reached",
  QUOTA_EXCEEDED: "Out of credit",
  TEAM_BLOCKED: "Team blocked",
  rate_limit_exceeded: "Rate limit",
  upstream_rate_limit: "Upstream rate limit",
  upstream_timeout: "Upstream timed out",
  upstream_unreachable: "Upstream unreachable",
  internal_error: "Upstream error",
  model_not_found: "Unknown model",
  price_missing: "No price",
  validation_error: "Invalid request",
  key_blocked: "Key blocked",
  expired_key: "Key expired",
  key_model_access_denied: "Model not allowed for key",
  team_model_access_denied: "Model not allowed for team",
  org_model_access_denied: "Model not allowed for organization",
};

/** Describes in two or three words why a request failed; null if it succeeded. */
export function reasonOf({ class: outcome, errorCode }: Pick<Call, "class" | "errorCode">): string | null {
  if (outcome === "canceled") return "Client disconnected";
  if (errorCode === null) return null;
  return words[errorCode] ?? sentence(errorCode.toLowerCase().replaceAll("_", " "));
}

/** Returns the URL path of an endpoint. */
export function pathOf(endpoint: string): string {
  return `/v1/${endpoint.replaceAll(".", "/")}`;
}

/** Returns the requested model, and the model that served the request if it differs. */
export function servedBy({
  model,
  fallbackFrom,
  requestedModel,
}: Pick<Call, "model" | "fallbackFrom" | "requestedModel">): {
  readonly asked: string;
  readonly served: string | null;
} {
  // A rejected request has no model of this instance, only the name that the client sent.
  if (model === "") return { asked: requestedModel ?? "", served: null };
  return fallbackFrom === null ? { asked: model, served: null } : { asked: fallbackFrom, served: model };
}

/**
 * Time within which payloads are stored. A payload is written shortly after the request ends, separately from the log
 * entry.
 */
const STORED_WITHIN_MS = 60_000;

/** Reports whether a request's payload might not have been written yet. */
export function isOnItsWay(log: Pick<CallDetail, "class" | "contentState" | "createdAt" | "latencyMs">): boolean {
  if (log.contentState !== "not_captured" || log.class !== "succeeded") return false;
  return Date.now() - new Date(log.createdAt).getTime() - log.latencyMs < STORED_WITHIN_MS;
}

/**
 * Reports whether to show a cost. A zero cost is shown only if the request succeeded, because the request was then
 * free.
 */
export function hasCost({ class: outcome, cost }: Pick<Call, "class" | "cost">): boolean {
  return cost > 0n || outcome === "succeeded";
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
