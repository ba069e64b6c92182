import Type from "typebox";

const open = { additionalProperties: true };
const OrNull = <Schema extends Parameters<typeof Type.Optional>[0]>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const Item = Type.Object({ id: Type.Optional(Type.String()), type: Type.Optional(Type.String()) }, open);

const ResponseUsage = Type.Object(
  {
    input_tokens: Type.Integer(),
    input_tokens_details: Type.Optional(Type.Object({ cached_tokens: Type.Integer() }, open)),
    output_tokens: Type.Integer(),
    output_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: Type.Integer() }, open)),
    total_tokens: Type.Integer(),
  },
  open,
);

/** A model's response as items, with the request's settings. */
export const ResponseObject = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("response"),
    created_at: Type.Number({ description: "Unix time in seconds." }),
    status: Type.String({ description: "`completed`, `incomplete`, `failed` or, in a stream, `in_progress`." }),
    model: Type.String(),
    output: Type.Array(Item),
    error: OrNull(Type.Object({ code: Type.String(), message: Type.String() }, open)),
    incomplete_details: OrNull(Type.Object({ reason: Type.String() }, open)),
    previous_response_id: OrNull(Type.String()),
    store: Type.Optional(
      Type.Boolean({ description: "Whether the response is stored, so that it can be continued and retrieved." }),
    ),
    usage: OrNull(ResponseUsage),
  },
  open,
);

/** One event in a streamed response. */
export const ResponseEvent = Type.Object({ type: Type.String(), sequence_number: Type.Integer() }, open);

/** A page of a response's input items. */
export const ResponseItemList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(Item),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  },
  open,
);

/** A deleted response. */
export const DeletedResponse = Type.Object({
  id: Type.String(),
  object: Type.Literal("response"),
  deleted: Type.Literal(true),
});
