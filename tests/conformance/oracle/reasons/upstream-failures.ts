import type { Reason } from "./reason.ts";

/** Differences after upstream failures. */
export const upstreamFailureReasons: readonly Reason[] = [
  {
    name: "Rejected operator credentials",
    because:
      "If an upstream rejects the operator's credential, clients get 500, so that they don't mistake the error for a problem with their own key.",
    place: /^status$/,
    scenario: /returns (401|403|400, invalid API key)$/,
    holds: (_theirs, ours) => ours === 500,
  },
  {
    name: "Upstream error statuses",
    because:
      "Tollgate returns the same statuses for all providers: 408 for a timeout, 503 for an unreachable or overloaded provider, 502 for a malformed response, and 413 for a request that is too large. LiteLLM returns 500 in most of these cases.",
    place: /^status$/,
    scenario:
      /^(OpenAI (returns 504|closes the connection|returns HTML)|Anthropic returns (413|529)|Gemini returns 503)$/,
  },
  {
    name: "Upstream 400 errors",
    because:
      "LiteLLM's speech endpoint returns 500 and plain text for every failure. Tollgate returns 400 if the upstream does.",
    place: /^status$/,
    operation: /^speech$/,
    scenario: /^OpenAI returns 400$/,
  },
  {
    name: "Incomplete streams",
    because:
      "If the upstream disconnects during a stream, Tollgate ends the stream with an error event and without [DONE]. LiteLLM ends it with finish_reason stop and [DONE], as if it were complete.",
    place: /^body \/(adds|frames|isDone|fields)/,
    scenario: /^OpenAI disconnects during a stream$/,
  },
];
