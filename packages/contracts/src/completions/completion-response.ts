import Type from "typebox";
import { ChatUsage } from "../chat/chat-response.ts";

const open = { additionalProperties: true };

const FinishReason = Type.Union([Type.Literal("stop"), Type.Literal("length"), Type.Literal("content_filter")]);

const CompletionLogprobs = Type.Object(
  {
    tokens: Type.Array(Type.String()),
    token_logprobs: Type.Array(Type.Union([Type.Number(), Type.Null()])),
    top_logprobs: Type.Optional(
      Type.Union([Type.Array(Type.Union([Type.Object({}, open), Type.Null()])), Type.Null()]),
    ),
    text_offset: Type.Array(Type.Integer()),
  },
  open,
);

/** A text completion response. Each frame of a stream contains one. */
export const CompletionResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("text_completion"),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: "The prompt's index times `n`, plus the choice's index." }),
          text: Type.String(),
          finish_reason: Type.Optional(Type.Union([FinishReason, Type.Null()])),
          logprobs: Type.Optional(Type.Union([CompletionLogprobs, Type.Null()])),
        },
        open,
      ),
    ),
    usage: Type.Optional(Type.Union([ChatUsage, Type.Null()])),
  },
  open,
);
