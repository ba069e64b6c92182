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

const MAX_MESSAGES = 100_000;
const MAX_BLOCKS = 20_000;
const MAX_TOOLS = 1_024;

/** A content block. Its type defines the other fields. Unknown types are passed to upstreams that use this API. */
const ContentBlock = Type.Object({ type: Type.String({ minLength: 1, maxLength: 64 }) }, open);
const TextBlock = Type.Object({ type: Type.Literal("text"), text: Type.String() }, open);

const Message = Type.Object(
  {
    role: Type.Union([Type.Literal("user"), Type.Literal("assistant"), Type.Literal("system")]),
    content: Type.Union([Type.String(), Type.Array(ContentBlock, { maxItems: MAX_BLOCKS })]),
  },
  open,
);

/** A tool with its own schema, or one of the API's built-in tools, selected by type. */
const Tool = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 128 })),
    type: Nullable(Type.String({ maxLength: 64 })),
    description: Nullable(Type.String()),
    input_schema: Nullable(AnyObject),
  },
  open,
);

const ToolChoice = Type.Union(
  [
    Type.Object({ type: Type.Literal("auto") }, open),
    Type.Object({ type: Type.Literal("any") }, open),
    Type.Object({ type: Type.Literal("none") }, open),
    Type.Object({ type: Type.Literal("tool"), name: Type.String() }, open),
  ],
  { discriminator: "type" },
);

const Thinking = Type.Object(
  { type: Type.String({ maxLength: 32 }), budget_tokens: Nullable(Type.Integer({ minimum: 0 })) },
  open,
);

const OutputConfig = Type.Object(
  {
    effort: Nullable(Type.String({ maxLength: 32 })),
    format: Nullable(Type.Object({ type: Type.Literal("json_schema"), schema: AnyObject }, open)),
  },
  open,
);

/** Prompt and tool fields, shared by message and token count requests. */
const promptFields = {
  messages: Type.Array(Message, { minItems: 1, maxItems: MAX_MESSAGES }),
  system: Nullable(Type.Union([Type.String(), Type.Array(TextBlock, { maxItems: MAX_BLOCKS })])),
  tools: Nullable(Type.Array(Tool, { maxItems: MAX_TOOLS })),
  tool_choice: Nullable(ToolChoice),
  thinking: Nullable(Thinking),
  output_config: Nullable(OutputConfig),
  cache_control: Nullable(AnyObject),
} as const;

const messageFields = {
  ...promptFields,
  max_tokens: Type.Integer({ minimum: 1 }),
  temperature: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: Nullable(Type.Integer({ minimum: 0 })),
  top_p: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  stop_sequences: Nullable(Type.Array(Type.String(), { maxItems: 8_191 })),
  stream: Nullable(Type.Boolean()),
  metadata: Nullable(Type.Object({ user_id: Nullable(Type.String({ maxLength: 1_024 })) }, open)),
  service_tier: Nullable(Type.Union([Type.Literal("auto"), Type.Literal("standard_only")])),
  context_management: Nullable(AnyObject),
} as const;

/** Names of the parameters that a model may or may not support. */
export const messageParams: ReadonlySet<string> = new Set(
  Object.keys(messageFields).filter((name) => name !== "messages"),
);

const fields = { ...gatewayFields, ...ignoredFields, ...messageFields };

/**
 * Request body for a message. Unknown fields are allowed here. The gateway's settings determine how they are handled.
 */
export const MessageRequest = Type.Object({ model: ModelName, ...fields }, open);

/** Request body if the settings already specify the model. `model` then has no effect. */
export const MessageRequestForModel = Type.Object({ model: ModelNameOrNone, ...fields }, open);

export type MessageRequest = Static<typeof MessageRequestForModel>;

/** Request body for a token count. */
export const MessageCountRequest = Type.Object({ model: ModelName, ...promptFields }, open);

export type MessageCountRequest = Static<typeof MessageCountRequest>;
