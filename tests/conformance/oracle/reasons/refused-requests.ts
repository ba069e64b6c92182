import { isAbsent, type Reason } from "./reason.ts";

/** What is refused here and not there, or otherwise. */
export const refusedRequestReasons: readonly Reason[] = [
  {
    name: "known fields are checked",
    because:
      "A field that is missing, of another type or out of bounds is refused with 422 before an upstream is paid for it.",
    place: /^(status|upstream calls)$/,
    scenario:
      /^(no (model|messages|prompt|input|voice|query|documents|limit)|empty messages|messages that|a message without|an unknown role|a temperature)/,
    holds: (theirs, ours) => ours === 422 || (theirs === 1 && ours === 0),
  },
  {
    name: "values that cannot be",
    because: "A request that says two things at once is refused with 400, as the upstream itself would.",
    place: /^(status|upstream calls)$/,
    scenario: /^(stream options without a stream|no input|an empty (text|list))$/,
    holds: (theirs, ours) => ours === 400 || (theirs === 1 && ours === 0),
  },
  {
    name: "an unknown choice is a validation error",
    because: "A query parameter with a value that is not in its list answers 422, as the interface declares.",
    place: /^(status|body \/detail)$/,
    operation: /^models$/,
    scenario: /^an unknown (fallback type|scope)$/,
  },
  {
    name: "request fields are listed",
    because:
      "With billing on, a field that is not on the provider's list is refused with 400, because it could change what the provider bills. An operator allows fields per deployment with allowed_params.",
    place: /^(status|upstream calls)$/,
    operation: /^chat completions$/,
    scenario: /^(a parameter nobody knows|extra_body)$/,
    holds: (theirs, ours) => ours === 400 || (theirs === 1 && ours === 0),
  },
  {
    name: "unknown models are not found",
    because:
      "A model nobody configured is 404 model_not_found on every operation, in the words the OpenAI clients know.",
    place: /^(status|body \/detail|upstream calls)$/,
    scenario: /^(an unknown model|unknown|unknown deployment|a fallback that is not there)$/,
    holds: (theirs, ours) => ours === 404 || isAbsent(ours) || (theirs === 1 && ours === 0),
  },
  {
    name: "addresses and credentials are the operator's",
    because:
      "A request that names an upstream's address, a credential or a logging destination is refused with 400: it would let a caller reach internal hosts or take the operator's key.",
    place: /^(status|upstream calls)$/,
    scenario: /^(an upstream (address|key) of the client's|a logging destination)$/,
    holds: (theirs, ours) => ours === 400 || (theirs === 1 && ours === 0),
  },
  {
    name: "an unknown key is 401 without a database too",
    because:
      "LiteLLM answers 400 to a key it cannot look up when it runs without a database; here a bad key is 401 whatever is behind it.",
    place: /^status$/,
    scenario: /^an unknown key( and no JSON)?$/,
    holds: (_theirs, ours) => ours === 401,
  },
  {
    name: "unsupported parameters are refused, not lost",
    because:
      "What a model does not take is answered with 400 unsupported_parameter unless dropping was asked for; LiteLLM lets some of them pass or drops them silently.",
    place: /^(status|upstream calls)$/,
    scenario: /^(Gemini, one named tool, one call at a time|instructions for a model that takes none)$/,
    holds: (theirs, ours) => (theirs === 200 && ours === 400) || (theirs === 1 && ours === 0),
  },
  {
    name: "OpenAI judges its own models",
    because:
      "Every parameter of OpenAI's chat interface is passed on to OpenAI: which of its models takes it is its own knowledge, and a table of ours would refuse what works since yesterday.",
    place: /^(status|upstream calls|body .*supported_openai_params\/\*)$/,
    scenario:
      /^(reasoning_effort for a model without reasoning|one deployment|with limits|one group|two deployments|OpenAI)$/,
    operation: /^(chat completions|model info|model group info|supported params)$/,
    holds: (theirs, ours) => ours === 200 || ours === 1 || Array.isArray(theirs),
  },
];
