import { isAbsent, type Reason } from "./reason.ts";

/** What errors look like. */
export const errorBodyReasons: readonly Reason[] = [
  {
    name: "errors have our words",
    because: "Texts of errors name the mistake and what to do; no exception names, hosts or stacks of ours.",
    place: /^body (\/adds)?\/error\/message$/,
    holds: (_theirs, ours) => typeof ours === "string" && ours !== "" && !ours.includes("<upstream"),
  },
  {
    name: "error types of OpenAI",
    because: 'The type is one of the families OpenAI documents, never null, "None" or the upstream\'s own.',
    place: /^body (\/adds)?\/error\/type$/,
    holds: (_theirs, ours) => /^(authentication|invalid_request|rate_limit|timeout|server)_error$/.test(String(ours)),
  },
  {
    name: "codes that say what happened",
    because:
      "The code names the cause (missing_api_key, context_length_exceeded); the setting error_code_style: status gives LiteLLM's numbers.",
    place: /^body (\/adds)?\/error\/code$/,
    holds: (theirs, ours) => /^\d{3}$/.test(String(theirs)) && /^[a-z_]+$/.test(String(ours)),
  },
  {
    name: "the field at fault",
    because:
      "The parameter a refusal speaks of is named, and is null where there is none; LiteLLM prints the word None.",
    place: /^body (\/adds)?\/error\/param$/,
    holds: (_theirs, ours) => ours === null || /^[\w.]+$/.test(String(ours)),
  },
  {
    name: "one shape of errors",
    because:
      "Every error has `error`, also where LiteLLM has only `detail` or plain text, and validation errors have both, so that either kind of reader finds what it knows.",
    place: /^body (\/error|\/detail|)$/,
    holds: (theirs, ours) => isAbsent(theirs) || isAbsent(ours) || typeof theirs === "string",
  },
  {
    name: "one shape of errors (type of content)",
    because:
      "Errors are JSON on every operation; LiteLLM's speech and token counter answer plain text when they break.",
    place: /^header content-type$/,
    holds: (theirs, ours) => String(theirs).startsWith("text/plain") && ours === "application/json",
  },
  {
    name: "requests are not echoed",
    because: "Validation errors say where and what, and do not repeat what was sent: it may hold secrets.",
    place: /^body \/detail\/0\/(input|ctx|loc\/1)$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "validation errors have our words",
    because: "The same place and kind of mistake, in other words.",
    place: /^body \/detail\/0\/(msg|type)$/,
  },
];
