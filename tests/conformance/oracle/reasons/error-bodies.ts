import { isAbsent, type Reason } from "./reason.ts";

/** Differences in error bodies. */
export const errorBodyReasons: readonly Reason[] = [
  {
    name: "Error messages",
    because: "Error messages state the problem and the fix, without exception names, hosts, or stack traces.",
    place: /^body (\/adds)?\/error\/message$/,
    holds: (_theirs, ours) => typeof ours === "string" && ours !== "" && !ours.includes("<upstream"),
  },
  {
    name: "OpenAI's error types",
    because: 'The type is one of the types that OpenAI documents, never null, "None", or the upstream\'s type.',
    place: /^body (\/adds)?\/error\/type$/,
    holds: (_theirs, ours) => /^(authentication|invalid_request|rate_limit|timeout|server)_error$/.test(String(ours)),
  },
  {
    name: "Error codes",
    because:
      "The code names the cause (missing_api_key, context_length_exceeded). With error_code_style: status, Tollgate returns LiteLLM's numbers.",
    place: /^body (\/adds)?\/error\/code$/,
    holds: (theirs, ours) => /^\d{3}$/.test(String(theirs)) && /^[a-z_]+$/.test(String(ours)),
  },
  {
    name: "Invalid parameter",
    because:
      "param is the name of the invalid parameter, or null if no parameter is invalid. LiteLLM returns the string None.",
    place: /^body (\/adds)?\/error\/param$/,
    holds: (_theirs, ours) => ours === null || /^[\w.]+$/.test(String(ours)),
  },
  {
    name: "Links in errors",
    because: "Each error has the request ID, the URL of the page about its code, and a fix if there is one.",
    place: /^body (\/adds)?\/error\/(doc_url|request_id|fix)$/,
    holds: (theirs, ours) => isAbsent(theirs) && typeof ours === "string" && ours !== "",
  },
  {
    name: "One error format",
    because:
      "Every error body contains `error`, even where LiteLLM returns only `detail` or plain text. Validation errors contain both, so that clients that expect either format work.",
    place: /^body (\/error|\/detail|)$/,
    holds: (theirs, ours) => isAbsent(theirs) || isAbsent(ours) || typeof theirs === "string",
  },
  {
    name: "One error format (content type)",
    because:
      "Errors are JSON on every endpoint. LiteLLM's speech endpoint and token counter return plain text when they fail.",
    place: /^header content-type$/,
    holds: (theirs, ours) => String(theirs).startsWith("text/plain") && ours === "application/json",
  },
  {
    name: "Requests not echoed",
    because:
      "Validation errors state the location and the problem, but don't repeat the input, which may contain secrets.",
    place: /^body \/detail\/0\/(input|ctx|loc\/1)$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Validation messages",
    because: "The location and the type of the error are the same as LiteLLM's. The wording differs.",
    place: /^body \/detail\/0\/(msg|type)$/,
  },
];
