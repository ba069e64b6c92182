import { isAbsent, type Reason } from "./reason.ts";

/** Differences in requests to OpenAI-compatible upstreams. */
export const upstreamRequestReasons: readonly Reason[] = [
  {
    name: "Usage in streams",
    because:
      "Tollgate always requests usage from the upstream, because billing depends on it. Clients that didn't request usage don't receive it.",
    place: /^upstream \/body\/stream_options$/,
    holds: (theirs) => isAbsent(theirs),
  },
  {
    name: "Unchanged requests",
    because:
      "Tollgate forwards null parameters and developer messages, which OpenAI-compatible upstreams support, and adds no defaults.",
    place: /^upstream \/body\/(messages\/\d\/(role|content)|temperature|tools|stop|stream|encoding_format)$/,
    operation: /^(chat completions|embeddings)$/,
  },
  {
    name: "Explicit output limit",
    because:
      "Tollgate sends OpenAI's default limit of 16 tokens for a completion without a limit, so that the hold matches the maximum cost.",
    place: /^upstream \/body\/max_tokens$/,
    operation: /^completions$/,
    holds: (theirs, ours) => isAbsent(theirs) && ours === 16,
  },
];
