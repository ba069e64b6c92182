import Type, { type Static } from "typebox";
import {
  AnyObject,
  gatewayFields,
  ignoredFields,
  ModelName,
  ModelNameOrNone,
  open,
} from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const MAX_ITEMS = 4_096;
const MAX_TOOLS = 128;

/** An input item, defined by its type. The provider decides which types a model accepts. */
const InputItem = Type.Object({ type: Nullable(Type.String({ maxLength: 64 })) }, open);
const Tool = Type.Object(
  { type: Type.String({ maxLength: 64 }), name: Nullable(Type.String({ maxLength: 128 })) },
  open,
);
const ToolChoice = Type.Union([
  Type.Union([Type.Literal("none"), Type.Literal("auto"), Type.Literal("required")]),
  Type.Object({ type: Type.String() }, open),
]);
const TextFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal("text") }, open),
    Type.Object({ type: Type.Literal("json_object") }, open),
    Type.Object(
      {
        type: Type.Literal("json_schema"),
        name: Type.String(),
        description: Nullable(Type.String()),
        schema: AnyObject,
        strict: Nullable(Type.Boolean()),
      },
      open,
    ),
  ],
  { discriminator: "type" },
);

/** Parameters that a model may or may not support. */
const responseParamFields = {
  instructions: Nullable(Type.String()),
  max_output_tokens: Nullable(Type.Integer({ minimum: 1 })),
  max_tool_calls: Nullable(Type.Integer({ minimum: 1 })),
  tools: Nullable(Type.Array(Tool, { maxItems: MAX_TOOLS })),
  tool_choice: Nullable(ToolChoice),
  parallel_tool_calls: Nullable(Type.Boolean()),
  text: Nullable(Type.Object({ format: Nullable(TextFormat), verbosity: Nullable(Type.String()) }, open)),
  reasoning: Nullable(Type.Object({ effort: Nullable(Type.String()), summary: Nullable(Type.String()) }, open)),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  top_logprobs: Nullable(Type.Integer({ minimum: 0, maximum: 20 })),
  truncation: Nullable(Type.Union([Type.Literal("auto"), Type.Literal("disabled")])),
  include: Nullable(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 32 })),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(Type.Object({ include_obfuscation: Nullable(Type.Boolean()) }, open)),
  store: Nullable(Type.Boolean()),
  service_tier: Nullable(Type.String()),
  user: Nullable(Type.String()),
  safety_identifier: Nullable(Type.String()),
  prompt_cache_key: Nullable(Type.String()),
  prompt_cache_retention: Nullable(Type.String()),
} as const;

/** Names of the parameters that a model may or may not support. */
export const responseParams: ReadonlySet<string> = new Set(Object.keys(responseParamFields));

const responseFields = {
  input: Type.Union([Type.String(), Type.Array(InputItem, { maxItems: MAX_ITEMS })]),
  ...responseParamFields,
  previous_response_id: Nullable(Type.String({ maxLength: 128 })),
  background: Nullable(Type.Boolean()),
  conversation: Nullable(Type.Union([Type.String(), AnyObject])),
  prompt: Nullable(AnyObject),
  ...gatewayFields,
  ...ignoredFields,
};

/**
 * Request body for creating a response. Unknown fields are allowed here; the gateway's settings decide how to handle
 * them.
 */
export const ResponseRequest = Type.Object({ model: ModelName, ...responseFields }, open);

/** Request body if the operator already specifies the model. */
export const ResponseRequestForModel = Type.Object({ model: ModelNameOrNone, ...responseFields }, open);

export type ResponseRequest = Static<typeof ResponseRequestForModel>;
