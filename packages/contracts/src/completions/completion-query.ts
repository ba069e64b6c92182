import Type from "typebox";

/** What the address of a text completion may say besides its path. */
export const CompletionQuery = Type.Object({
  model: Type.Optional(
    Type.String({ description: "The model, if the path does not name one. Takes precedence over the body." }),
  ),
});
