import Type from "typebox";

const open = { additionalProperties: true };
const NullableString = Type.Union([Type.String(), Type.Null()]);

export const ChatUsage = Type.Object(
  {
    prompt_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    prompt_tokens_details: Type.Optional(Type.Union([Type.Object({}, open), Type.Null()])),
    completion_tokens_details: Type.Optional(Type.Union([Type.Object({}, open), Type.Null()])),
  },
  open,
);

const FinishReason = Type.Union([
  Type.Literal("stop"),
  Type.Literal("length"),
  Type.Literal("tool_calls"),
  Type.Literal("content_filter"),
  Type.Literal("function_call"),
]);

/** Response of a chat completion that is not streamed. */
export const ChatResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("chat.completion"),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer(),
          finish_reason: Type.Union([FinishReason, Type.Null()]),
          message: Type.Object({ role: Type.Literal("assistant"), content: Type.Optional(NullableString) }, open),
        },
        open,
      ),
    ),
    usage: Type.Optional(ChatUsage),
  },
  open,
);

/** One frame of a streamed chat completion. */
export const ChatChunk = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("chat.completion.chunk"),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer(),
          delta: Type.Object({}, open),
          finish_reason: Type.Optional(Type.Union([FinishReason, Type.Null()])),
        },
        open,
      ),
    ),
    usage: Type.Optional(Type.Union([ChatUsage, Type.Null()])),
  },
  open,
);
