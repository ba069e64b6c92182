import Type, { type Static } from "typebox";
import {
  AnyObject,
  gatewayFields,
  ignoredFields,
  LogitBias,
  MAX_LIST_ITEMS,
  ModelName,
  ModelNameOrNone,
  OpenObject,
  open,
  Stop,
} from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";
import { ChatMessage } from "./chat-message.ts";

/**
 * Tools, tool choices, and response formats of any form: an upstream with this API checks their contents, and each
 * translation to another API checks what it reads.
 */
const Tools = Type.Array(OpenObject, { maxItems: MAX_LIST_ITEMS });
const NameOrObject = Type.Union([Type.String(), OpenObject]);

/**
 * Parameters that any provider of this API may support. The upstream checks the ranges of sampling parameters. The
 * gateway checks only the numbers that determine the hold.
 */
export const openaiChatFields = {
  frequency_penalty: Nullable(Type.Number()),
  presence_penalty: Nullable(Type.Number()),
  logit_bias: Nullable(LogitBias),
  logprobs: Nullable(Type.Boolean()),
  top_logprobs: Nullable(Type.Integer()),
  max_tokens: Nullable(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Nullable(Type.Integer({ minimum: 1 })),
  n: Nullable(Type.Integer({ minimum: 1, maximum: 128 })),
  response_format: Nullable(OpenObject),
  seed: Nullable(Type.Integer()),
  service_tier: Nullable(Type.String()),
  stop: Nullable(Stop),
  stream: Nullable(Type.Boolean()),
  stream_options: Nullable(
    Type.Object({ include_usage: Nullable(Type.Boolean()), include_obfuscation: Nullable(Type.Boolean()) }, open),
  ),
  temperature: Nullable(Type.Number()),
  top_p: Nullable(Type.Number()),
  tools: Nullable(Tools),
  tool_choice: Nullable(NameOrObject),
  parallel_tool_calls: Nullable(Type.Boolean()),
  functions: Nullable(Tools),
  function_call: Nullable(NameOrObject),
  user: Nullable(Type.String()),
  reasoning_effort: Nullable(Type.String()),
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
  messages: Type.Array(ChatMessage, { maxItems: MAX_LIST_ITEMS }),
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
