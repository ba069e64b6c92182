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
import { ChatMessage } from "./chat-message.ts";

const FUNCTION_NAME = "^[A-Za-z0-9_-]{1,64}$";

const FunctionDefinition = Type.Object(
  {
    name: Type.String({ pattern: FUNCTION_NAME }),
    description: Nullable(Type.String()),
    parameters: Nullable(AnyObject),
    strict: Nullable(Type.Boolean()),
  },
  open,
);
const Tool = Type.Union(
  [
    Type.Object({ type: Type.Literal("function"), function: FunctionDefinition }, open),
    Type.Object({ type: Type.Literal("custom"), custom: Type.Object({ name: Type.String() }, open) }, open),
  ],
  { discriminator: "type" },
);
const ToolChoice = Type.Union([
  Type.Union([Type.Literal("none"), Type.Literal("auto"), Type.Literal("required")]),
  Type.Object({ type: Type.String() }, open),
]);
const ResponseFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal("text") }, open),
    Type.Object({ type: Type.Literal("json_object") }, open),
    Type.Object(
      {
        type: Type.Literal("json_schema"),
        json_schema: Type.Object(
          {
            name: Type.String(),
            description: Nullable(Type.String()),
            schema: Nullable(AnyObject),
            strict: Nullable(Type.Boolean()),
          },
          open,
        ),
      },
      open,
    ),
  ],
  { discriminator: "type" },
);

/** Parameters that any provider of this API may support. */
export const openaiChatFields = {
  frequency_penalty: Nullable(Type.Number({ minimum: -2, maximum: 2 })),
  presence_penalty: Nullable(Type.Number({ minimum: -2, maximum: 2 })),
  logit_bias: Nullable(
    Type.Object({}, { additionalProperties: Type.Number({ minimum: -100, maximum: 100 }), maxProperties: 300 }),
  ),
  logprobs: Nullable(Type.Boolean()),
  top_logprobs: Nullable(Type.Integer({ minimum: 0, maximum: 20 })),
  max_tokens: Nullable(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Nullable(Type.Integer({ minimum: 1 })),
  n: Nullable(Type.Integer({ minimum: 1, maximum: 128 })),
  response_format: Nullable(ResponseFormat),
  seed: Nullable(Type.Integer()),
  service_tier: Nullable(Type.String()),
  stop: Nullable(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })])),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(
    Type.Object({ include_usage: Nullable(Type.Boolean()), include_obfuscation: Nullable(Type.Boolean()) }, open),
  ),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  tools: Nullable(Type.Array(Tool, { maxItems: 128 })),
  tool_choice: Nullable(ToolChoice),
  parallel_tool_calls: Nullable(Type.Boolean()),
  functions: Nullable(Type.Array(FunctionDefinition, { maxItems: 128 })),
  function_call: Nullable(
    Type.Union([Type.Union([Type.Literal("none"), Type.Literal("auto")]), Type.Object({ name: Type.String() }, open)]),
  ),
  user: Nullable(Type.String()),
  reasoning_effort: Nullable(
    Type.Union(["none", "minimal", "low", "medium", "high", "xhigh"].map((effort) => Type.Literal(effort))),
  ),
  verbosity: Nullable(Type.String()),
  modalities: Nullable(Type.Array(Type.String(), { maxItems: 8 })),
  audio: Nullable(AnyObject),
  prediction: Nullable(AnyObject),
  store: Nullable(Type.Boolean()),
  web_search_options: Nullable(AnyObject),
  prompt_cache_key: Nullable(Type.String()),
  prompt_cache_retention: Nullable(Type.String()),
  safety_identifier: Nullable(Type.String()),
} as const;

/** Names of the parameters that any provider of this API may support. */
export const openaiChatParams: ReadonlySet<string> = new Set(Object.keys(openaiChatFields));

/** Provider-specific fields. Thinking budgets are passed to upstreams that support them. */
const providerChatFields = {
  thinking: Nullable(Type.Object({ type: Type.String(), budget_tokens: Nullable(Type.Integer({ minimum: 0 })) }, open)),
} as const;

const chatFields = {
  messages: Type.Array(ChatMessage, { minItems: 1, maxItems: 2048 }),
  ...openaiChatFields,
  ...gatewayFields,
  ...ignoredFields,
  ...providerChatFields,
};

/**
 * Request body of a chat completion. Unknown fields are allowed. The gateway's settings determine how they are handled.
 */
export const ChatRequest = Type.Object({ model: ModelName, ...chatFields }, open);

/** Request body if the path or the settings already specify the model. `model` then has no effect. */
export const ChatRequestForModel = Type.Object({ model: ModelNameOrNone, ...chatFields }, open);

export type ChatRequest = Static<typeof ChatRequestForModel>;
