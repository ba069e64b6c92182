import type { Failure, FailureCode } from "@tollgate/contracts/failures.ts";
import type { FailureClass, RouteFailure } from "@tollgate/domain/routing/route-types.ts";

const classes: Partial<Record<FailureCode, FailureClass>> = {
  timeout: "timeout",
  stream_timeout: "timeout",
  upstream_rate_limit: "rate_limit",
  context_length_exceeded: "context_window",
  content_policy_violation: "content_policy",
  content_filter: "content_policy",
  upstream_unreachable: "connection",
  loop_detected: "local",
  bad_gateway: "unavailable",
  service_unavailable: "unavailable",
  internal_error: "internal",
  json_schema_validation_failed: "internal",
};

/** Classifies a failed attempt, so that the next attempt can be chosen. */
export function classifyFailure(failure: Failure): RouteFailure {
  return { class: classOf(failure), retryAfterMs: failure.facts.retryAfterMs ?? null };
}

function classOf({ code, facts }: Failure): FailureClass {
  const { upstreamStatus, isCredential, wasAnswering } = facts.detail ?? {};
  if (isCredential === true) return "authentication";
  if (wasAnswering === true) return "unavailable";
  const known = classes[code];
  if (known !== undefined) return known;
  switch (upstreamStatus) {
    case 404:
      return "not_found";
    case 409:
      return "conflict";
    case 422:
      return "unprocessable";
    case undefined:
      // The request was not sent because it doesn't fit the deployment, so a retry would also fail.
      return "local";
    default:
      return "bad_request";
  }
}
