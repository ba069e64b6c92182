import Type from "typebox";

/** Query parameters of a text completion. */
export const CompletionQuery = Type.Object({
  model: Type.Optional(
    Type.String({ description: "The model, if the path does not name one. Takes precedence over the body." }),
  ),
});
