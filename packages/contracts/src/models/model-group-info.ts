import Type, { type Static } from "typebox";
import { NullableParameter } from "./nullable-parameter.ts";

const NullableInteger = Type.Union([Type.Integer(), Type.Null()]);

export const ModelGroupInfoQuery = Type.Object({
  model_group: NullableParameter(Type.String(), {
    description: "One group; wildcard names, and names under one, are allowed.",
  }),
});
export type ModelGroupInfoQuery = Static<typeof ModelGroupInfoQuery>;

/** One group: the facts of its deployments, put together. */
export const ModelGroupEntry = Type.Object({
  model_group: Type.String(),
  providers: Type.Array(Type.String()),
  max_input_tokens: NullableInteger,
  max_output_tokens: NullableInteger,
  input_cost_per_token: Type.Number({ description: "USD. Zero with `pricing_known: false` when unknown." }),
  output_cost_per_token: Type.Number({ description: "USD. Zero with `pricing_known: false` when unknown." }),
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
  supported_openai_params: Type.Array(Type.String(), { description: "What every deployment of the group takes." }),
  is_public_model_group: Type.Boolean({ description: "Whether the public model hub shows it." }),
});
export type ModelGroupEntry = Static<typeof ModelGroupEntry>;

export const ModelGroupInfoResponse = Type.Object({ data: Type.Array(ModelGroupEntry) });
export type ModelGroupInfoResponse = Static<typeof ModelGroupInfoResponse>;
