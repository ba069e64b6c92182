import Type, { type TSchema } from "typebox";

const open = { additionalProperties: true };

/** Moderation categories. Every map in a result contains all categories. */
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

/** Response to a moderation request: one result per string, or one result for all parts together. */
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
