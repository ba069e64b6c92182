import { isAbsent, type Reason } from "./reason.ts";

/** Differences in models in the database. */
export const storedModelReasons: readonly Reason[] = [
  {
    name: "Stored models: parameters",
    because:
      "Responses contain the parameters that were stored, without the API key. LiteLLM returns them encrypted, and its own defaults.",
    place: /^body (\/data\/0)?\/litellm_params\/(model|api_base|api_key|use_\w+|merge_\w+)$/,
    operation: /^model (new|update|info, version 2)$/,
    holds: (theirs, ours) => theirs === "<encrypted>" || isAbsent(ours),
  },
  {
    name: "Stored models: model information",
    because: "model_info contains the mode, and db_model is true, because the model is stored in the database.",
    place: /^body \/model_info\/(db_model|mode)$/,
    operation: /^model (new|update)$/,
  },
  {
    name: "Stored models: creator",
    because: "The audit log shows who created and changed a model.",
    place: /^body \/(created|updated)_by$/,
    operation: /^model (new|update)$/,
    holds: (_theirs, ours) => isAbsent(ours),
  },
  {
    name: "Stored models: provider",
    because: "litellm_provider is the name of the model's provider on the platform.",
    place: /\/litellm_provider$/,
    operation: /^model info, version 2$/,
  },
];
