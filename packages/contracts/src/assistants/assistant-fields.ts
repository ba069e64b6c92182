import Type, { type Static } from "typebox";
import { AnyObject } from "../inference/shared-fields.ts";
import { Nullable } from "../nullable.ts";

const open = { additionalProperties: true } as const;

/** Up to 16 pairs of short strings. */
export const MetadataField = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: Type.String({ maxLength: 512 }),
  propertyNames: Type.String({ minLength: 1, maxLength: 64 }),
  maxProperties: 16,
  description: "Up to 16 key-value pairs. Keys have at most 64 characters, values 512.",
});

export const ToolField = Type.Union(
  [
    Type.Object(
      {
        type: Type.Literal("function"),
        function: Type.Object(
          {
            name: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }),
            description: Nullable(Type.String()),
            parameters: Nullable(AnyObject),
            strict: Nullable(Type.Boolean()),
          },
          open,
        ),
      },
      open,
    ),
    Type.Object({ type: Type.Literal("code_interpreter") }, open),
    Type.Object({ type: Type.Literal("file_search"), file_search: Nullable(AnyObject) }, open),
  ],
  { discriminator: "type" },
);
export type ToolField = Static<typeof ToolField>;

export const ToolResourcesField = Type.Object(
  {
    code_interpreter: Nullable(
      Type.Object({ file_ids: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })) }, open),
    ),
    file_search: Nullable(
      Type.Object({ vector_store_ids: Type.Optional(Type.Array(Type.String(), { maxItems: 1 })) }, open),
    ),
  },
  open,
);

export const ResponseFormatField = Type.Union([
  Type.Literal("auto"),
  Type.Object(
    { type: Type.Union([Type.Literal("text"), Type.Literal("json_object"), Type.Literal("json_schema")]) },
    open,
  ),
]);

export const ModelField = Type.String({ minLength: 1, maxLength: 512, description: "A model group." });
export const InstructionsField = Type.String({ maxLength: 256_000 });
export const TemperatureField = Type.Number({ minimum: 0, maximum: 2 });
export const TopPField = Type.Number({ minimum: 0, maximum: 1 });
export const ReasoningEffortField = Type.String({ maxLength: 32 });

/** Query parameters for every list. */
export const PageQueryFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Defaults to 20." })),
  order: Type.Optional(
    Type.Union([Type.Literal("asc"), Type.Literal("desc")], { description: "Order by creation time." }),
  ),
  after: Type.Optional(Type.String({ maxLength: 64, description: "Returns items after this ID." })),
  before: Type.Optional(Type.String({ maxLength: 64, description: "Returns items before this ID." })),
};
export const PageQueryParameters = Type.Object(PageQueryFields);
export type PageQueryParameters = Static<typeof PageQueryParameters>;

/** Returns the schema for one page of a list. */
export function listOf(item: ReturnType<typeof Type.Object>) {
  return Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  });
}

/** Returns the schema for a deletion response. */
export function deletedObject(object: string) {
  return Type.Object({ id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) });
}
