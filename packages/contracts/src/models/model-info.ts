import Type, { type Static } from "typebox";
import { NullableParameter } from "./nullable-parameter.ts";

const open = { additionalProperties: true };
const NullableNumber = Type.Union([Type.Number(), Type.Null()]);
const NullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const NullableString = Type.Union([Type.String(), Type.Null()]);

export const ModelInfoQuery = Type.Object({
  gw_model_id: NullableParameter(Type.String(), {
    description: "A deployment ID, as returned in `x-gw-model-id`.",
  }),
});
export type ModelInfoQuery = Static<typeof ModelInfoQuery>;

const Modalities = Type.Array(Type.String());

/** What a model reads, writes, and streams, and the features that it is known to lack. */
const Capabilities = Type.Object({
  inputs: Modalities,
  outputs: Modalities,
  streams: Modalities,
  missing: Type.Array(
    Type.Object({
      feature: Type.String(),
      source: Type.String({ description: "`settings`, or the URL of the documentation." }),
    }),
    { description: "Features that the model lacks. The model may support every other feature." },
  ),
});

/** A deployment: its configuration without secrets, and the known metadata of its model. */
export const DeploymentEntry = Type.Object({
  model_name: Type.String({ description: "The model group that the deployment serves." }),
  litellm_params: Type.Object(
    {
      model: Type.String({ description: "`<provider>/<upstream model>`." }),
      api_base: Type.Optional(
        Type.String({ description: "Visible only to administrators unless the settings expose it." }),
      ),
      rpm: Type.Optional(Type.Integer()),
      tpm: Type.Optional(Type.Integer()),
    },
    open,
  ),
  model_info: Type.Object(
    {
      id: Type.String(),
      db_model: Type.Boolean({
        description: "Whether the deployment was created through the API rather than a settings file.",
      }),
      mode: NullableString,
      max_input_tokens: NullableInteger,
      max_output_tokens: NullableInteger,
      input_cost_per_token: NullableNumber,
      output_cost_per_token: NullableNumber,
      litellm_provider: Type.String(),
      supports_vision: Type.Boolean(),
      supports_function_calling: Type.Boolean(),
      supports_parallel_function_calling: Type.Boolean(),
      supports_response_schema: Type.Boolean(),
      supports_web_search: Type.Boolean(),
      supports_reasoning: Type.Boolean(),
      supported_openai_params: Type.Array(Type.String()),
      capabilities: Capabilities,
      access_groups: Type.Array(Type.String()),
      base_model: NullableString,
    },
    open,
  ),
});
export type DeploymentEntry = Static<typeof DeploymentEntry>;

export const ModelInfoResponse = Type.Object({ data: Type.Array(DeploymentEntry) });
export type ModelInfoResponse = Static<typeof ModelInfoResponse>;
