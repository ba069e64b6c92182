import { isAbsent, type Reason } from "./reason.ts";

/** Requests that only one gateway refuses, or that the two gateways refuse differently. */
export const refusedRequestReasons: readonly Reason[] = [
  {
    name: "Field validation",
    because:
      "If the body is not JSON, or a field is missing, has the wrong type, or is out of range, the request fails with 422 before an upstream is called.",
    place: /^(status|upstream calls)$/,
    scenario:
      /^(invalid JSON$|no (model|messages|prompt|input|voice|query|documents|max_tokens)|empty messages|messages as|a message without|an unknown role|a temperature)/,
    holds: (theirs, ours) => ours === 422 || (theirs === 1 && ours === 0),
  },
  {
    name: "Contradictory values",
    because: "A request with contradictory values fails with 400, the status that the upstream would return.",
    place: /^(status|upstream calls)$/,
    scenario: /^(stream_options without stream|no input|an empty (string|list))$/,
    holds: (theirs, ours) => ours === 400 || (theirs === 1 && ours === 0),
  },
  {
    name: "Unknown option",
    because: "A query parameter with an unknown value causes a 422, as the API reference states.",
    place: /^(status|body \/detail)$/,
    operation: /^models$/,
    scenario: /^an unknown (fallback type|scope)$/,
  },
  {
    name: "Allowed request fields",
    because:
      "With billing on, a field that is not on the provider's list causes a 400, because it could change what the provider bills. An operator can allow fields per deployment with allowed_params.",
    place: /^(status|upstream calls)$/,
    operation: /^chat completions$/,
    scenario: /^(an unknown parameter|extra_body)$/,
    holds: (theirs, ours) => ours === 400 || (theirs === 1 && ours === 0),
  },
  {
    name: "Unknown models",
    because: "A request for an unknown model fails with 404 model_not_found on every endpoint, in OpenAI's format.",
    place: /^(status|body \/detail|upstream calls)$/,
    scenario: /^(an unknown model|unknown|an unknown deployment|an unknown fallback)$/,
    holds: (theirs, ours) => ours === 404 || isAbsent(ours) || (theirs === 1 && ours === 0),
  },
  {
    name: "No client-side URLs or credentials",
    because:
      "A request that contains an upstream URL, a credential, or a logging destination fails with 400, because it could reach internal hosts or expose the operator's key.",
    place: /^(status|upstream calls)$/,
    scenario: /^(an upstream (URL|API key) in the request|a logging destination)$/,
    holds: (theirs, ours) => ours === 400 || (theirs === 1 && ours === 0),
  },
  {
    name: "Keys before bodies",
    because: "An invalid key takes precedence over an invalid body, so that strangers learn nothing about the API.",
    place: /^status$/,
    scenario: /^an unknown key and invalid JSON$/,
    holds: (_theirs, ours) => ours === 401,
  },
  {
    name: "Unsupported parameters",
    because:
      "A parameter that the model doesn't support causes a 400 unsupported_parameter unless drop_params is set. LiteLLM forwards some unsupported parameters and silently drops others.",
    place: /^(status|upstream calls)$/,
    scenario: /^(Gemini, named tool without parallel calls|unsupported instructions)$/,
    holds: (theirs, ours) => (theirs === 200 && ours === 400) || (theirs === 1 && ours === 0),
  },
];
