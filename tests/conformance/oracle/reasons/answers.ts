import { isAbsent, isNothing, type Reason } from "./reason.ts";

/** What answers of models look like. */
export const answerReasons: readonly Reason[] = [
  {
    name: "costs are decimals",
    because: "Costs have no exponent and no error of binary fractions: they are counted in integers.",
    place: /^header x-gw-response-cost$/,
    holds: (theirs, ours) => Math.abs(Number(theirs) - Number(ours)) < 1e-12,
  },
  {
    name: "OpenAI's fields, as OpenAI sends them",
    because:
      "Answers keep OpenAI's shape: refusal and logprobs are there and null, the time is the upstream's. LiteLLM leaves them out or writes its own.",
    place: /^body .*\/(refusal|logprobs|created|content|finish_reason|system_fingerprint)$/,
    operation: /^(chat completions|completions)$/,
    holds: (theirs, ours) => (isNothing(theirs) && isNothing(ours)) || theirs === "<now>",
  },
  {
    name: "fields of frames",
    because:
      "Frames of a stream have the fields OpenAI's have, for every provider; LiteLLM leaves those out that are null and adds its own.",
    place: /^body \/fields\/\*$/,
    operation: /^(chat completions|completions)$/,
    holds: (theirs, ours) => isOwnOfLitellm(theirs) && isOfOpenAi(ours),
  },
  {
    name: "no fields of LiteLLM's own",
    because:
      "provider_specific_fields, images, grounding lists and counters by kind are not part of OpenAI's answers; what the upstream said of them stands in the fields OpenAI has for it.",
    place:
      /^body .*\/(provider_specific_fields|images|vertex_ai_\w+|index|annotations|cache_(creation|read)_input_tokens|inference_geo|speed|(image|video|text|cache_write)_tokens)$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "nothing that nobody reported",
    because:
      "Counters the upstream did not send are not there; LiteLLM writes them with null or 0, a whole usage of zeros among them.",
    place: /^body .*usage(\/(\w+_details\/)?\w+)?$/,
    operation: /^(completions|embeddings)$/,
    holds: (theirs, ours) => isAbsent(ours) && hasNoFigure(theirs),
  },
  {
    name: "thoughts that cannot be sent back",
    because: "Google's thoughts have no signature of their own, so they are reasoning_content and no thinking_blocks.",
    place: /^body \/choices\/0\/message\/thinking_blocks$/,
    scenario: /^Gemini/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "counters that are always there",
    because:
      "usage tells cached and reasoning tokens for every provider, also when there are none, and the tier an answer was given at.",
    place:
      /\/(cached_tokens|reasoning_tokens|prompt_tokens_details|completion_tokens_details|service_tier|text_tokens)$/,
    holds: (theirs) => isAbsent(theirs),
  },
  {
    name: "ids of the upstream",
    because:
      "An answer keeps the id its provider gave it, with OpenAI's prefix where it has none, so that a call can be found in the provider's own logs; LiteLLM makes one up, or leaves the prefix away.",
    place: /^body (\/adds)?\/(id|choices\/0\/(message|delta)\/tool_calls\/\d\/id)$/,
    scenario:
      /^(Anthropic|Gemini|a chat model of Anthropic|an unsupported parameter, drop_params|max_completion_tokens of Anthropic)/,
  },
  {
    name: "the name that was asked for",
    because:
      "Answers carry the model group the caller asked for, also when the address named it and also in streams; LiteLLM then prints the upstream's own name or the body's.",
    place: /^body (\/adds)?\/model$/,
  },
  {
    name: "streams begin with the role",
    because: "The first frame has the role and nothing else for every provider, as OpenAI's own streams do.",
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
    /\/(logprobs|refusal|content|finish_reason|service_tier|usage|cached_tokens)$/.test(field),
  );
}

/** Null, 0, or made of nothing else. */
function hasNoFigure(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(hasNoFigure);
  return value === null || value === 0;
}
