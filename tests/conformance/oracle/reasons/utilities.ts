import type { Reason } from "./reason.ts";

/** Operations that tell about calls. */
export const utilityReasons: readonly Reason[] = [
  {
    name: "tools are tokens too",
    because: "Descriptions of tools are counted; LiteLLM counts the messages alone.",
    place: /^body \/total_tokens$/,
    operation: /^token counter$/,
    scenario: /^messages and tools$/,
  },
  {
    name: "a guess is called a guess",
    because:
      "Where the model's own tokenizer is not known the count says approximate; LiteLLM names the tokenizer it used instead.",
    place: /^body \/tokenizer_type$/,
    operation: /^token counter$/,
    holds: (_theirs, ours) => ours === "approximate",
  },
  {
    name: "counted by the provider",
    because:
      "call_endpoint=true asks the provider at the deployment's own address; LiteLLM 1.84.0 counts locally or breaks when it is not the provider's public one.",
    place: /^(status|upstream calls|body \/(total_tokens|tokenizer_type|original_response|status_code))$/,
    scenario: /^counted by/,
  },
  {
    name: "groups are models",
    because: "Utilities know model groups, as calls do; LiteLLM's know provider names only.",
    place: /^(status|body \/(error|raw_request_\w+))$/,
    operation: /^(supported params|transform request)$/,
    scenario: /^(a group|embeddings|OpenAI|an unsupported parameter)$/,
  },
  {
    name: "nothing is sent to show what would be sent",
    because: "transform_request makes no call; LiteLLM makes one with a false key and reads what its client did.",
    place: /^upstream calls$/,
    operation: /^transform request$/,
    holds: (_theirs, ours) => ours === 0,
  },
  {
    name: "the headers that would be sent",
    because:
      "Headers are those of the real request with secrets masked; LiteLLM shows some of its client's, and none for OpenAI.",
    place: /^body \/raw_request_headers\/[\w-]+$/,
    operation: /^transform request$/,
  },
  {
    name: "the body that would be sent",
    because:
      "Bodies are those of the real request: Google's names in Google's spelling, nothing of a client library's.",
    place: /^body \/raw_request_body\/(extra_body|generationConfig\/\w+)$/,
    operation: /^transform request$/,
  },
];
