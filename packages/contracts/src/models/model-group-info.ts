import Type, { type Static } from "typebox";
import { NullableParameter } from "./nullable-parameter.ts";

const NullableInteger = Type.Union([Type.Integer(), Type.Null()]);

export const ModelGroupInfoQuery = Type.Object({
  model_group: NullableParameter(Type.String(), {
    description: "Only this model group. Wildcard names and names that match one are allowed.",
  }),
});
export type ModelGroupInfoQuery = Static<typeof ModelGroupInfoQuery>;

/** A model group with the combined metadata of its deployments. */
export const ModelGroupEntry = Type.Object({
  model_group: Type.String(),
  providers: Type.Array(Type.String()),
  max_input_tokens: NullableInteger,
  max_output_tokens: NullableInteger,
  input_cost_per_token: Type.Number({ description: "USD. If unknown, 0 with `pricing_known: false`." }),
  output_cost_per_token: Type.Number({ description: "USD. If unknown, 0 with `pricing_known: false`." }),
  input_cost_per_pixel: Type.Union([Type.Number(), Type.Null()]),
  pricing_known: Type.Boolean(),
  mode: Type.String(),
  tpm: NullableInteger,
  rpm: NullableInteger,
  supports_parallel_function_calling: Type.Boolean(),
  supports_vision: Type.Boolean(),
  supports_function_calling: Type.Boolean(),
  supports_web_search: Type.Boolean(),
  supports_reasoning: Type.Boolean(),
  supported_openai_params: Type.Array(Type.String(), {
    description: "Parameters that every deployment of the group supports.",
  }),
  is_public_model_group: Type.Boolean({ description: "Whether the public model hub shows it." }),
});
export type ModelGroupEntry = Static<typeof ModelGroupEntry>;

export const ModelGroupInfoResponse = Type.Object({ data: Type.Array(ModelGroupEntry) });
export type ModelGroupInfoResponse = Static<typeof ModelGroupInfoResponse>;
