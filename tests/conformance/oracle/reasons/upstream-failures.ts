import type { Reason } from "./reason.ts";

/** What a failing upstream leads to. */
export const upstreamFailureReasons: readonly Reason[] = [
  {
    name: "the operator's credential is not the caller's",
    because:
      'An upstream that refuses our credential is our fault: 500 "upstream credential rejected", so that no client takes it for its own key being bad.',
    place: /^status$/,
    scenario: /answers (401|403|400, key refused)$/,
    holds: (_theirs, ours) => ours === 500,
  },
  {
    name: "statuses of failed upstreams",
    because:
      "One table for all providers: too slow is 408, unreachable or overloaded 503, unreadable 502, too large 413; LiteLLM answers most of them with 500.",
    place: /^status$/,
    scenario:
      /^(OpenAI (answers 504|breaks the connection|answers with something else)|Anthropic answers (413|529)|Gemini answers 503)$/,
  },
  {
    name: "an upstream's refusal stays a refusal",
    because:
      "LiteLLM's speech route answers every failure with 500 and plain text; a 400 of the upstream is a 400 here.",
    place: /^status$/,
    operation: /^speech$/,
    scenario: /^OpenAI answers 400$/,
  },
  {
    name: "half an answer is no answer",
    because:
      "A stream that breaks ends with an error frame and without [DONE]; LiteLLM ends it with finish_reason stop and [DONE], as if it were whole.",
    place: /^body \/(adds|frames|isDone|fields)/,
    scenario: /^OpenAI breaks in a stream$/,
  },
];
