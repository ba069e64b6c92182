/** Failure classes of upstream calls, for routing. */
export const failureClasses = [
  "bad_request",
  /** The upstream rejected our credential with 401 or 403. */
  "authentication",
  "not_found",
  "timeout",
  "conflict",
  "rate_limit",
  "context_window",
  "content_policy",
  "unprocessable",
  "internal",
  "unavailable",
  /** No response: DNS failure, no connection, or a reset before the response began. */
  "connection",
  /** The call failed locally, before the network. It is never retried or counted, and has no fallback. */
  "local",
] as const;

export type FailureClass = (typeof failureClasses)[number];

/** Reports whether the request itself caused a failure. Such a failure says nothing about the target. */
export function isOfCaller(kind: FailureClass): boolean {
  switch (kind) {
    case "bad_request":
    case "context_window":
    case "content_policy":
    case "unprocessable":
    case "local":
      return true;
    default:
      return false;
  }
}
