import { isAbsent, isNothing, type Reason } from "./reason.ts";

/** Every fact but those that are documented: one of them must not go missing. */
const furtherFact =
  /^body \/(data|(un)?healthy_endpoints)\/0\/(litellm_params\/(?!model$|api_base$|[rt]pm$)|model_info\/(?!id$|db_model$|mode$|max_(in|out)put_tokens$|(in|out)put_cost_per_token$|litellm_provider$|supports_(vision|function_calling|parallel_function_calling|response_schema)$|access_groups$|base_model$)|(?!model_group$|providers$|max_\w+_tokens$|\w+_cost_per_token$|mode$|[rt]pm$|supports_(parallel_function_calling|vision|function_calling)$|model$|model_id$|api_base$|error$))\w+$/;

/** Models, their facts, and health. */
export const informationReasons: readonly Reason[] = [
  {
    name: "owners by name",
    because: "owned_by names the provider behind a group, or access_group; LiteLLM prints openai for everything.",
    place: /^body (\/data\/.+)?\/owned_by$/,
    operation: /^(models|retrieve model)$/,
  },
  {
    name: "wildcards only when asked for",
    because:
      "Names with a star are listed with return_wildcard_routes=true, as the interface says; LiteLLM lists them always.",
    place: /^body \/data\/groq\/\*$/,
    operation: /^models$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "access groups of an administrator",
    because:
      "only_model_access_groups lists the access groups of whoever may call everything too; LiteLLM answers an empty list.",
    place: /^body \/data/,
    scenario: /^only access groups$/,
  },
  {
    name: "models under a wildcard are models",
    because: "A concrete name that a wildcard covers can be called, so it can be looked up.",
    place: /^status$/,
    operation: /^retrieve model$/,
    scenario: /^covered by a wildcard$/,
  },
  {
    name: "facts that are known",
    because:
      "Model information has the documented fields; LiteLLM adds its whole table of prices and abilities, nearly all of them null.",
    place: furtherFact,
    operation: /^(model info|model group info|health)$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "abilities are true or false",
    because:
      "An ability nobody claims is false, one the table claims is true; LiteLLM prints null, or loses it on the way to the group.",
    place: /\/supports_\w+$/,
    operation: /^model (group )?info$/,
    holds: (theirs, ours) => isNothing(theirs) && typeof ours === "boolean",
  },
  {
    name: "fields of ours",
    because: "pricing_known tells a price of zero from a price nobody knows; base_model and mode are always there.",
    place: /\/(pricing_known|base_model|mode)$/,
    operation: /^model (group )?info$/,
    holds: (theirs) => isNothing(theirs),
  },
  {
    name: "parameters by provider",
    because:
      "The list has what the translation of that provider does take, by operation, and nothing that is not a field of the request; LiteLLM lists chat parameters for embeddings, and settings of its own.",
    place: /supported_openai_params\/\*$/,
  },
  {
    name: "a database is part of it",
    because: "Tollgate runs with its database; LiteLLM was started without one.",
    place: /^body \/db$/,
    operation: /^health$/,
  },
  {
    name: "checks say little and cost little",
    because:
      "A check asks for one token once and tells group, deployment and a plain word; LiteLLM asks for five, repeats failures and prints stack traces.",
    place:
      /^(body \/(un)?healthy_endpoints\/0\/(model|error)|upstream \/body\/(messages\/0\/content|prompt|max_(completion_)?tokens)|upstream calls)$/,
    operation: /^health$/,
  },
];
