import Type, { type TSchema } from "typebox";

const open = { additionalProperties: true };

/** Moderation categories. Every map of a result has all of them. */
export const moderationCategories = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;

export type ModerationCategory = (typeof moderationCategories)[number];

function ofEachCategory(schema: TSchema): TSchema {
  return Type.Object(Object.fromEntries(moderationCategories.map((category) => [category, schema])), open);
}

/** Response of a moderation: one result per string, or one for all parts together. */
export const ModerationResponse = Type.Object(
  {
    id: Type.String(),
    model: Type.String(),
    results: Type.Array(
      Type.Object(
        {
          flagged: Type.Boolean(),
          categories: ofEachCategory(Type.Boolean()),
          category_scores: ofEachCategory(Type.Number()),
          category_applied_input_types: ofEachCategory(
            Type.Array(Type.Union([Type.Literal("text"), Type.Literal("image")])),
          ),
        },
        open,
      ),
    ),
  },
  open,
);
