import Type from "typebox";

/** A chat completion on the platform's side. Whatever else a chat completion takes is handed on as it is. */
export const MessageRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    messages: Type.Array(Type.Unsafe<unknown>({}), { minItems: 1 }),
    apiKey: Type.String({
      minLength: 1,
      maxLength: 300,
      description: "The whole secret of a key, or the id of a key of a team you belong to",
    }),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  { additionalProperties: true },
);
