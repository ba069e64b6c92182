import Type from "typebox";

const open = { additionalProperties: true };
const NullableCount = Type.Optional(Type.Union([Type.Integer(), Type.Null()]));

const MessageUsage = Type.Object(
  {
    input_tokens: Type.Integer({ description: "Excludes tokens read from or written to a cache." }),
    output_tokens: Type.Integer(),
    cache_read_input_tokens: NullableCount,
    cache_creation_input_tokens: NullableCount,
  },
  open,
);

/** Response from a model. */
export const MessageResponse = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("message"),
    role: Type.Literal("assistant"),
    model: Type.String(),
    content: Type.Array(Type.Object({ type: Type.String() }, open)),
    stop_reason: Type.Union([Type.String(), Type.Null()]),
    stop_sequence: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    usage: MessageUsage,
  },
  open,
);

/** One event in a streamed response. Its type defines the other fields. */
export const MessageEvent = Type.Object({ type: Type.String() }, open);

/** Number of input tokens in a message. */
export const MessageCountResponse = Type.Object({ input_tokens: Type.Integer() });

/** Body of every error on the Anthropic-compatible paths. */
export const MessageErrorResponse = Type.Object({
  type: Type.Literal("error"),
  error: Type.Object({
    type: Type.String({ description: "The error type, as defined by the Anthropic API." }),
    message: Type.String(),
    details: Type.Optional(Type.Object({ error_code: Type.String() }, open)),
    fix: Type.Optional(Type.String({ description: "How to fix the problem." })),
    doc_url: Type.String({ description: "The page that explains the error code." }),
    request_id: Type.String({ description: "The call ID." }),
  }),
  request_id: Type.String(),
});
