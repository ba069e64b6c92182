import type { Operations } from "@tollgate/sdk/platform";
import type { Tone } from "./badge.tsx";

export type Call = Operations["listLogs"]["answer"]["data"][number];
export type CallDetail = Operations["getLog"]["answer"]["log"];

/** How the end of a call is marked. What went well is not marked at all. */
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

/** Why a call did not go well, in two or three words; nothing when it did. */
export function reasonOf({ status, errorCode }: Pick<Call, "status" | "errorCode">): string | null {
  if (status === "cancelled") return "Client disconnected";
  if (errorCode === null) return null;
  return words[errorCode] ?? sentence(errorCode.toLowerCase().replaceAll("_", " "));
}

/** The address a call went to. */
export function pathOf(endpoint: string): string {
  return `/v1/${endpoint.replaceAll(".", "/")}`;
}

/** Who the call was meant for and who served it, where that is another. */
export function servedBy({ model, fallbackFrom }: Pick<Call, "model" | "fallbackFrom">): {
  readonly asked: string;
  readonly served: string | null;
} {
  return fallbackFrom === null ? { asked: model, served: null } : { asked: fallbackFrom, served: model };
}

/** Payloads are stored a moment after the call, apart from it. */
const STORED_WITHIN_MS = 60_000;

/** Whether the payload of a call may yet come. */
export function isOnItsWay(log: Pick<CallDetail, "status" | "contentState" | "createdAt" | "latencyMs">): boolean {
  if (log.contentState !== "not_captured" || log.status !== "success") return false;
  return Date.now() - new Date(log.createdAt).getTime() - log.latencyMs < STORED_WITHIN_MS;
}

/** A call costs nothing for two reasons: it was free, or it was never answered. Only the first is an amount. */
export function hasCost({ status, cost }: Pick<Call, "status" | "cost">): boolean {
  return cost > 0n || status === "success";
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
