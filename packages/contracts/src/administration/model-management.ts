import Type, { type Static } from "typebox";
import { DeploymentEntry } from "../models/model-info.ts";
import { NullableParameter } from "../models/nullable-parameter.ts";
import { Nullable } from "../nullable.ts";
import { exactBody, sizedPageParameters, UsdPriceInput } from "./record-fields.ts";

const Text = Type.String({ minLength: 1, maxLength: 200 });
/** Asterisks, spaces, and commas have a special meaning in model lists. */
const GroupName = Type.String({ minLength: 1, maxLength: 200, pattern: "^[A-Za-z0-9][A-Za-z0-9._:@+/-]*$" });
const Rate = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const Seconds = Type.Number({ minimum: 1, maximum: 3_600 });

/** Upstream and request parameters. The API key is encrypted before it is stored, and never returned. */
const ModelParams = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 260,
        pattern: "^[\\x21-\\x29\\x2b-\\x7e]+$",
        description: "`<provider>/<upstream model>`.",
      }),
    ),
    custom_llm_provider: Nullable(Text),
    api_key: Nullable(Type.String({ minLength: 1, maxLength: 4_000, pattern: "^[\\x21-\\x7e]+$" })),
    api_base: Nullable(Type.String({ minLength: 1, maxLength: 2_000 })),
    litellm_credential_name: Nullable(
      Type.String({ maxLength: 100, description: "The slug of a provider managed in the console." }),
    ),
    rpm: Nullable(Rate),
    tpm: Nullable(Rate),
    timeout: Nullable(Seconds),
    stream_timeout: Nullable(Seconds),
    drop_params: Nullable(Type.Boolean()),
    additional_drop_params: Nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 })),
    allowed_params: Nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 })),
    allowed_headers: Nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 })),
    unknown_params: Nullable(Type.Union([Type.Literal("reject"), Type.Literal("drop"), Type.Literal("forward")])),
    input_cost_per_token: Nullable(UsdPriceInput),
    output_cost_per_token: Nullable(UsdPriceInput),
    cache_read_input_token_cost: Nullable(UsdPriceInput),
    output_cost_per_image: Nullable(UsdPriceInput),
    input_cost_per_second: Nullable(UsdPriceInput),
    input_cost_per_character: Nullable(UsdPriceInput),
  },
  exactBody,
);
export type ModelParamsInput = Static<typeof ModelParams>;

const ModelInfo = Type.Object(
  {
    id: Nullable(Type.String({ maxLength: 200 })),
    mode: Nullable(Text),
    max_tokens: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    max_input_tokens: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    max_output_tokens: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    db_model: Nullable(Type.Boolean()),
  },
  exactBody,
);
export type ModelInfoInput = Static<typeof ModelInfo>;

export const NewModelRequest = Type.Object(
  { model_name: GroupName, litellm_params: ModelParams, model_info: Nullable(ModelInfo) },
  exactBody,
);
export type NewModelRequest = Static<typeof NewModelRequest>;

export const UpdateModelRequest = Type.Object(
  { model_name: Nullable(GroupName), litellm_params: Nullable(ModelParams), model_info: ModelInfo },
  exactBody,
);
export type UpdateModelRequest = Static<typeof UpdateModelRequest>;

export const DeleteModelRequest = Type.Object(
  { id: Type.String({ minLength: 1, maxLength: 200, description: "The deployment ID." }) },
  { additionalProperties: true },
);
export type DeleteModelRequest = Static<typeof DeleteModelRequest>;

/** A model managed in the console, as returned after a change. */
export const StoredModel = Type.Object({
  model_id: Type.String({ description: "The deployment ID." }),
  model_name: Type.String(),
  litellm_params: Type.Object({ model: Type.String(), api_base: Type.Optional(Type.String()) }),
  model_info: Type.Object({ id: Type.String(), db_model: Type.Literal(true), mode: Type.String() }),
  created_at: Type.String(),
  updated_at: Type.String(),
});
export const DeletedModel = Type.Object({ message: Type.String() });

export const ModelPageQuery = Type.Object({
  ...sizedPageParameters,
  model: NullableParameter(Text, { description: "Only deployments of this model group." }),
  search: NullableParameter(Text, { description: "Part of the model group name." }),
  modelId: NullableParameter(Text, { description: "Only this deployment." }),
});
export type ModelPageQuery = Static<typeof ModelPageQuery>;

export const ModelPage = Type.Object({
  data: Type.Array(DeploymentEntry),
  total_count: Type.Integer(),
  current_page: Type.Integer(),
  total_pages: Type.Integer(),
  size: Type.Integer(),
});
