import { isAbsent, type Reason } from "./reason.ts";

/** What upstreams of the OpenAI wire are asked. */
export const upstreamRequestReasons: readonly Reason[] = [
  {
    name: "streams are asked for their usage",
    because:
      "Money is counted by what the upstream reports, so it is always asked to report; the frame is hidden from callers who did not ask.",
    place: /^upstream \/body\/stream_options$/,
    holds: (theirs) => isAbsent(theirs),
  },
  {
    name: "requests travel as they came",
    because:
      "What an OpenAI-wire upstream understands is passed on unchanged: null parameters, developer messages, no added defaults.",
    place: /^upstream \/body\/(messages\/\d\/(role|content)|temperature|tools|stop|stream|encoding_format)$/,
    operation: /^(chat completions|embeddings)$/,
  },
  {
    name: "the limit is said",
    because:
      "A completion without a limit has OpenAI's own default of 16 tokens; it is sent, so that what is held for the call is what it can cost.",
    place: /^upstream \/body\/max_tokens$/,
    operation: /^completions$/,
    holds: (theirs, ours) => isAbsent(theirs) && ours === 16,
  },
];
