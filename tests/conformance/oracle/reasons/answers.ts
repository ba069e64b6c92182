import { isAbsent, isNothing, type Reason } from "./reason.ts";

/** Differences in model responses. */
export const answerReasons: readonly Reason[] = [
  {
    name: "Decimal costs",
    because: "Costs are sums of integers, printed without an exponent and without binary rounding errors.",
    place: /^header x-gw-response-cost$/,
    holds: (theirs, ours) => Math.abs(Number(theirs) - Number(ours)) < 1e-12,
  },
  {
    name: "OpenAI's fields",
    because:
      "Responses keep OpenAI's format: refusal and logprobs are present and null, and created is the upstream's timestamp. LiteLLM omits these fields or sets its own values.",
    place: /^body .*\/(refusal|logprobs|created|content|finish_reason|system_fingerprint)$/,
    operation: /^(chat completions|completions)$/,
    holds: (theirs, ours) => (isNothing(theirs) && isNothing(ours)) || theirs === "<now>",
  },
  {
    name: "Stream chunk fields",
    because:
      "Stream chunks have OpenAI's fields for every provider, and errors in a stream have the request ID and a link. LiteLLM omits null fields and adds its own fields.",
    place: /^body \/fields\/\*$/,
    operation: /^(chat completions|completions)$/,
    holds: (theirs, ours) => isOwnOfLitellm(theirs) && isOfOpenAi(ours),
  },
  {
    name: "No LiteLLM-specific fields",
    because:
      "provider_specific_fields, images, grounding lists, and token counts by type are not part of OpenAI's responses. Tollgate puts this information in the corresponding OpenAI fields.",
    place:
      /^body .*\/(provider_specific_fields|images|vertex_ai_\w+|index|annotations|cache_(creation|read)_input_tokens|inference_geo|speed|(image|video|text|cache_write)_tokens)$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Omitted counts",
    because:
      "Tollgate omits counts that the upstream didn't send. LiteLLM sets them to null or 0, including a usage object with only zeros.",
    place: /^body .*usage(\/(\w+_details\/)?\w+)?$/,
    operation: /^(completions|embeddings)$/,
    holds: (theirs, ours) => isAbsent(ours) && hasNoFigure(theirs),
  },
  {
    name: "Unsigned reasoning",
    because:
      "Google's reasoning has no signature, so Tollgate returns it in reasoning_content without thinking_blocks.",
    place: /^body \/choices\/0\/message\/thinking_blocks$/,
    scenario: /^Gemini/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Counts that are always present",
    because:
      "usage contains cached and reasoning tokens for every provider, even if the counts are 0. Every response contains the service tier.",
    place:
      /\/(cached_tokens|reasoning_tokens|prompt_tokens_details|completion_tokens_details|service_tier|text_tokens)$/,
    holds: (theirs) => isAbsent(theirs),
  },
  {
    name: "Upstream IDs",
    because:
      "A response keeps its provider's ID, with OpenAI's prefix added if it is missing, so that you can find the request in the provider's logs. LiteLLM generates an ID or omits the prefix.",
    place: /^body (\/adds)?\/(id|choices\/0\/(message|delta)\/tool_calls\/\d\/id)$/,
    scenario:
      /^(Anthropic|Gemini|an Anthropic chat model|an unsupported parameter, drop_params|max_completion_tokens, Anthropic)/,
  },
  {
    name: "Requested model name",
    because:
      "Responses contain the model group that the client requested, even in streams and when the path contains the model name. LiteLLM returns the upstream's model name or the name in the body.",
    place: /^body (\/adds)?\/model$/,
  },
  {
    name: "Role in the first chunk",
    because: "For every provider, the first chunk contains only the role, as in OpenAI's streams.",
    place: /^body \/(frames|adds\/choices\/0\/delta\/role)$/,
    scenario: /^(Anthropic|Gemini)/,
  },
];

function isOwnOfLitellm(fields: unknown): boolean {
  return (fields as readonly string[]).every((field) =>
    /^\/(usage\/|vertex_ai|choices\/\*\/delta\/provider_specific_fields)/.test(field),
  );
}

function isOfOpenAi(fields: unknown): boolean {
  return (fields as readonly string[]).every((field) =>
    /\/(logprobs|refusal|content|finish_reason|service_tier|usage|cached_tokens|error\/(doc_url|request_id))$/.test(
      field,
    ),
  );
}

/** Reports whether a value is null or 0, or consists only of such values. */
function hasNoFigure(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(hasNoFigure);
  return value === null || value === 0;
}
