import Type from "typebox";

/** A chat completion through the platform. All other chat completion fields are passed on unchanged. */
export const MessageRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    messages: Type.Array(Type.Unsafe<unknown>({}), { minItems: 1 }),
    apiKey: Type.String({
      minLength: 1,
      maxLength: 300,
      description: "A full key secret, or the ID of a key in one of your teams",
    }),
    stream: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  { additionalProperties: true },
);
