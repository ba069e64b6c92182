import { isAbsent, isNothing, type Reason } from "./reason.ts";

/** Matches every field except the documented ones, which must not be missing. */
const furtherFact =
  /^body \/(data|(un)?healthy_endpoints)\/0\/(litellm_params\/(?!model$|api_base$|[rt]pm$)|model_info\/(?!id$|db_model$|mode$|max_(in|out)put_tokens$|(in|out)put_cost_per_token$|litellm_provider$|supports_(vision|function_calling|parallel_function_calling|response_schema)$|access_groups$|base_model$)|(?!model_group$|providers$|max_\w+_tokens$|\w+_cost_per_token$|mode$|[rt]pm$|supports_(parallel_function_calling|vision|function_calling)$|model$|model_id$|api_base$|error$))\w+$/;

/** Differences in models, model information, and health. */
export const informationReasons: readonly Reason[] = [
  {
    name: "Model owners",
    because:
      "owned_by is the model group's provider, or access_group for an access group. LiteLLM always returns openai.",
    place: /^body (\/data\/.+)?\/owned_by$/,
    operation: /^(models|retrieve model)$/,
  },
  {
    name: "Wildcards on request",
    because:
      "Tollgate lists wildcard names only with return_wildcard_routes=true, as documented. LiteLLM always lists them.",
    place: /^body \/data\/groq\/\*$/,
    operation: /^models$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Administrator access groups",
    because: "only_model_access_groups also lists the access groups of administrators. LiteLLM returns an empty list.",
    place: /^body \/data/,
    scenario: /^only access groups$/,
  },
  {
    name: "Models matching a wildcard",
    because: "You can look up a model that matches a wildcard, because you can call it.",
    place: /^status$/,
    operation: /^retrieve model$/,
    scenario: /^matching a wildcard$/,
  },
  {
    name: "Limits of models",
    because:
      "Context sizes and output limits are those of Tollgate's catalog, which is updated separately. For this model, the provider has raised both since LiteLLM recorded them.",
    place: /^body \/data\/0\/max_(in|out)put_tokens$/,
    operation: /^model group info$/,
    scenario: /^matching a wildcard$/,
    holds: (theirs, ours) => typeof theirs === "number" && typeof ours === "number" && ours > theirs,
  },
  {
    name: "Documented model fields",
    because:
      "Model information contains the documented fields. LiteLLM also returns its full table of prices and capabilities, with mostly null values.",
    place: furtherFact,
    operation: /^(model info(, version 2)?|model group info|health)$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Boolean capabilities",
    because:
      "A capability is true if the catalog lists it, otherwise false. LiteLLM returns null, or omits the field for a model group.",
    place: /\/supports_\w+$/,
    operation: /^model (group )?info(, version 2)?$/,
    holds: (theirs, ours) => isNothing(theirs) && typeof ours === "boolean",
  },
  {
    name: "Tollgate fields",
    because:
      "pricing_known distinguishes a price of 0 from a missing price. base_model, mode, and access_groups are always present.",
    place: /\/(pricing_known|base_model|mode|access_groups|capabilities)$/,
    operation: /^model (group )?info(, version 2)?$/,
    holds: (theirs) => isNothing(theirs),
  },
  {
    name: "Supported parameters",
    because:
      "The list contains the request fields that Tollgate supports for the provider and the operation. LiteLLM also lists its own settings, and chat parameters for embeddings.",
    place: /supported_openai_params\/\*$/,
  },
  {
    name: "Health checks",
    because:
      "A health check requests one token, doesn't retry, and reports the model group, the deployment, and a short status. LiteLLM requests five tokens, retries failures, and returns stack traces.",
    place:
      /^(body \/(un)?healthy_endpoints\/0\/(model|error)|upstream \/body\/(messages\/0\/content|prompt|max_(completion_)?tokens)|upstream calls)$/,
    operation: /^health$/,
  },
];
