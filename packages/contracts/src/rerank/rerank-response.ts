import Type from "typebox";

const open = { additionalProperties: true };

/** Response with the most relevant documents, most relevant first. */
export const RerankResponse = Type.Object(
  {
    id: Type.String(),
    results: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: "The document's index in the request." }),
          relevance_score: Type.Number(),
          document: Type.Optional(Type.Object({}, open)),
        },
        open,
      ),
    ),
    meta: Type.Object(
      {
        billed_units: Type.Optional(Type.Object({ search_units: Type.Optional(Type.Integer()) }, open)),
        tokens: Type.Optional(Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }, open)),
      },
      open,
    ),
  },
  open,
);
