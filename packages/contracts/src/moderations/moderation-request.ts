import Type, { type Static } from "typebox";
import { gatewayFields, ignoredFields, ModelNameOrNone, open } from "../inference/shared-fields.ts";

const ModerationPart = Type.Union(
  [
    Type.Object({ type: Type.Literal("text"), text: Type.String() }, open),
    Type.Object(
      { type: Type.Literal("image_url"), image_url: Type.Object({ url: Type.String({ minLength: 1 }) }, open) },
      open,
    ),
  ],
  { discriminator: "type" },
);

/** Request body for a moderation. If no model is given, the operator's model or the default model is used. */
export const ModerationRequest = Type.Object(
  {
    model: ModelNameOrNone,
    input: Type.Union([
      Type.String(),
      Type.Array(Type.String(), { minItems: 1, maxItems: 2048 }),
      Type.Array(ModerationPart, { minItems: 1, maxItems: 2048 }),
    ]),
    ...gatewayFields,
    ...ignoredFields,
  },
  open,
);

export type ModerationRequest = Static<typeof ModerationRequest>;
