import type { Reason } from "./reason.ts";

/** Differences in utility operations. */
export const utilityReasons: readonly Reason[] = [
  {
    name: "Tool tokens",
    because: "Tollgate counts the tokens in tool descriptions. LiteLLM counts only the messages.",
    place: /^body \/total_tokens$/,
    operation: /^token counter$/,
    scenario: /^messages and tools$/,
  },
  {
    name: "Approximate token counts",
    because:
      "If the model's tokenizer is unknown, the count is marked approximate. LiteLLM returns the name of the tokenizer that it used.",
    place: /^body \/tokenizer_type$/,
    operation: /^token counter$/,
    holds: (_theirs, ours) => ours === "approximate",
  },
  {
    name: "Provider's token counter",
    because:
      "call_endpoint=true calls the provider at the deployment's URL. If that isn't the provider's public URL, LiteLLM 1.84.0 counts locally or fails.",
    place: /^(status|upstream calls|body \/(total_tokens|tokenizer_type|original_response|status_code))$/,
    scenario: /^counted by/,
  },
  {
    name: "Model groups in utilities",
    because: "Tollgate's utility endpoints accept model groups. LiteLLM's accept only provider model names.",
    place: /^(status|body \/(error|raw_request_\w+))$/,
    operation: /^(supported params|transform request)$/,
    scenario: /^(a model group|embeddings|OpenAI|an unsupported parameter)$/,
  },
  {
    name: "Preview without an upstream request",
    because:
      "transform_request doesn't call the upstream. LiteLLM sends a request with an invalid key and captures what its client sent.",
    place: /^upstream calls$/,
    operation: /^transform request$/,
    holds: (_theirs, ours) => ours === 0,
  },
  {
    name: "Preview headers",
    because:
      "The headers are those of the real request, with secrets masked. LiteLLM returns only some of the headers that its HTTP client sets, and none for OpenAI.",
    place: /^body \/raw_request_headers\/[\w-]+$/,
    operation: /^transform request$/,
  },
  {
    name: "Preview body",
    because: "The body is that of the real request, with Google's own field names and no client library fields.",
    place: /^body \/raw_request_body\/(extra_body|generationConfig\/\w+)$/,
    operation: /^transform request$/,
  },
];
