import Type from "typebox";

const open = { additionalProperties: true };

/** Response for images. */
export const ImageResponse = Type.Object(
  {
    created: Type.Integer(),
    data: Type.Array(
      Type.Object(
        {
          url: Type.Optional(Type.String()),
          b64_json: Type.Optional(Type.String({ description: "The Base64-encoded image." })),
          revised_prompt: Type.Optional(Type.String()),
        },
        open,
      ),
    ),
    usage: Type.Optional(
      Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer(), total_tokens: Type.Integer() }, open),
    ),
  },
  open,
);
