import Type, { type Static } from "typebox";

/** A model available to the caller, in OpenAI's list format. */
export const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: Type.Integer({ description: "Unix time in seconds." }),
  owned_by: Type.String({ description: "The provider, or `access_group` for access groups." }),
  metadata: Type.Optional(
    Type.Object({
      fallbacks: Type.Array(Type.String(), { description: "Fallback model groups, in order." }),
    }),
  ),
});
export type ModelEntry = Static<typeof ModelEntry>;

export const ModelList = Type.Object({ object: Type.Literal("list"), data: Type.Array(ModelEntry) });
export type ModelList = Static<typeof ModelList>;

export const ModelPathParameters = Type.Object({
  model_id: Type.String({ description: "The model name. Slashes can be sent as is or percent-encoded." }),
});
