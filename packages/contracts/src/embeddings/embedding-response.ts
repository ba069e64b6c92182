import Type from "typebox";

const open = { additionalProperties: true };

/** Response for embeddings: one vector per input, in order. */
export const EmbeddingResponse = Type.Object(
  {
    object: Type.Literal("list"),
    model: Type.String(),
    data: Type.Array(
      Type.Object(
        {
          object: Type.Literal("embedding"),
          index: Type.Integer(),
          embedding: Type.Union([
            Type.Array(Type.Number()),
            Type.String({ description: "Base64-encoded little-endian 32-bit floats." }),
          ]),
        },
        open,
      ),
    ),
    usage: Type.Optional(Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }, open)),
  },
  open,
);
